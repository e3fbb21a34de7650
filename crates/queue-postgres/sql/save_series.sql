-- In: mark, series, slot, writer, ttl, bytes, the most expired entries to remove. Keeps an entry of
-- a series, in place of one with the same key. Expired ones leave on the way, but never the one
-- that is written, nor those that another call removes: writers must not wait in a circle.
WITH expired AS (
  DELETE FROM {schema}.series WHERE (series, slot, writer) IN (
    SELECT series, slot, writer FROM {schema}.series
    WHERE expires_at <= {now} AND (series, slot, writer) <> ($2, $3, $4)
    ORDER BY expires_at LIMIT $7 FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO {schema}.series (series, slot, writer, expires_at, bytes) VALUES ($2, $3, $4, {now} + $5::bigint, $6)
ON CONFLICT (series, slot, writer) DO UPDATE SET expires_at = excluded.expires_at, bytes = excluded.bytes;
