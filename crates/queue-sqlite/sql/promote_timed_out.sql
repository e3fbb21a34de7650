-- In: queue, now, limit. Out: how many gated jobs, the first time-outs first, took their place
-- among the ready ones. Nothing enters before its time-out (I11, I29).
INSERT INTO queue_ready (queue, priority, run_at, seq)
SELECT waiting.queue, job.priority, waiting.run_at, waiting.seq
FROM queue_gated AS waiting CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
WHERE waiting.queue = ?1 AND waiting.run_at <= ?2
ORDER BY waiting.run_at, waiting.seq
LIMIT ?3;
