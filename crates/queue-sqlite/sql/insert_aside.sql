-- In: queue, kind, priority, run_at, seq. A due job leaves the way of claims.
INSERT INTO queue_aside (queue, kind, priority, run_at, seq) VALUES (?1, ?2, ?3, ?4, ?5);
