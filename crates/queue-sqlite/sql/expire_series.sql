-- In: now, the most rows. Removes entries that have expired, the oldest first.
DELETE FROM queue_series WHERE key IN (
  SELECT key FROM queue_series INDEXED BY queue_series_expiry WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2
);
