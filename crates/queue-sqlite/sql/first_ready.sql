-- In: queue, priority. Out: priority and run_at of the first ready job behind that priority.
-- One seek; a count walks the distinct priorities with it.
SELECT priority, run_at
FROM queue_ready
WHERE queue = ?1 AND priority > ?2
ORDER BY priority, run_at
LIMIT 1;
