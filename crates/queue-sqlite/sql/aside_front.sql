-- In: queue, kind, limit. Out: priority, run_at and seq of the first jobs that were set aside.
SELECT priority, run_at, seq FROM queue_aside
WHERE queue = ?1 AND kind = ?2
ORDER BY priority, run_at, seq
LIMIT ?3;
