-- In: series, where to begin: slot and text, the slot to end before, now, limit. Out: slot, writer
-- and bytes of entries that have not expired, in order.
SELECT slot, writer, bytes FROM queue_series
WHERE series = ?1 AND (slot, writer) >= (?2, ?3) AND slot < ?4 AND expires_at > ?5
ORDER BY slot, writer LIMIT ?6;
