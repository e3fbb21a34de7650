-- In: queue, priority, run_at, seq. A due job takes its place in claim order.
INSERT INTO queue_ready (queue, priority, run_at, seq) VALUES (?1, ?2, ?3, ?4);
