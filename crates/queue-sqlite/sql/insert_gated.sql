-- In: queue, run_at, seq. A job begins to wait behind a gate.
INSERT INTO queue_gated (queue, run_at, seq) VALUES (?1, ?2, ?3);
