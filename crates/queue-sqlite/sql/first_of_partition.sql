-- In: queue, partition, priority. Out: priority and run_at of the first due job of the partition
-- behind that priority, as first_ready has it for the jobs without one.
SELECT priority, run_at
FROM queue_partition_ready
WHERE queue = ?1 AND partition = ?2 AND priority > ?3
ORDER BY priority, run_at
LIMIT 1;
