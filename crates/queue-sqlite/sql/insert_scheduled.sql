-- In: queue, run_at, seq. A job begins to wait for its time.
INSERT INTO queue_scheduled (queue, run_at, seq) VALUES (?1, ?2, ?3);
