-- In: series, slot, writer, expires_at, bytes. Keeps an entry, in place of one with the same key.
INSERT INTO queue_series (series, slot, writer, expires_at, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (series, slot, writer) DO UPDATE SET expires_at = excluded.expires_at, bytes = excluded.bytes;
