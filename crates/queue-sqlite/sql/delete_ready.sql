-- In: queue, priority, run_at, seq. Out: no row changed if the job is among the scheduled ones.
DELETE FROM queue_ready WHERE queue = ?1 AND priority = ?2 AND run_at = ?3 AND seq = ?4;
