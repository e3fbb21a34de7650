-- In: queue, kind, the number of its pause, 0 for none.
INSERT INTO queue_kind (queue, kind, paused) VALUES (?1, ?2, ?3)
ON CONFLICT (queue, kind) DO UPDATE SET paused = excluded.paused;
