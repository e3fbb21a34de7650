-- In: queue, slot, difference. Counters move in the transaction of the jobs they count (I20).
INSERT INTO queue_count (queue, slot, jobs) VALUES (?1, ?2, ?3)
ON CONFLICT (queue, slot) DO UPDATE SET jobs = jobs + excluded.jobs;
