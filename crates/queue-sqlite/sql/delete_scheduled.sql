-- In: queue, run_at, seq.
DELETE FROM queue_scheduled WHERE queue = ?1 AND run_at = ?2 AND seq = ?3;
