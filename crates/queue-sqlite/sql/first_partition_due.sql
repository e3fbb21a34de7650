-- In: queue, priority. Out: priority and run_at of the first due job of any partition behind that
-- priority, as first_ready has it for the jobs without one.
SELECT priority, run_at
FROM queue_partition_ready INDEXED BY queue_partition_due
WHERE queue = ?1 AND priority > ?2
ORDER BY priority, run_at
LIMIT 1;
