-- In: queue, now, limit. Out: priority, run_at and seq of scheduled jobs whose time has come, the
-- earliest first, and the columns that say of which partition each is. In a queue with partitions
-- these do what promote_due does in others (I11).
SELECT job.priority, waiting.run_at, waiting.seq, job.awaited, job.terms
FROM queue_scheduled AS waiting CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
WHERE waiting.queue = ?1 AND waiting.run_at <= ?2
ORDER BY waiting.run_at, waiting.seq
LIMIT ?3;
