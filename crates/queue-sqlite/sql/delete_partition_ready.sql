-- In: queue, partition, priority, run_at, seq. Out: no row changed if the job does not stand there.
DELETE FROM queue_partition_ready WHERE queue = ?1 AND partition = ?2 AND priority = ?3 AND run_at = ?4 AND seq = ?5;
