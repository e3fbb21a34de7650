-- In: queue, kind, priority. Out: priority and run_at of the first job behind that priority which
-- was set aside.
SELECT priority, run_at FROM queue_aside
WHERE queue = ?1 AND kind = ?2 AND priority > ?3
ORDER BY priority, run_at
LIMIT 1;
