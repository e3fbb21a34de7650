-- In: queue. Out: priority, run_at, seq and kind of its ready jobs in claim order (I12), of which a
-- claim steps through the first.
SELECT waiting.priority, waiting.run_at, waiting.seq, job.kind
FROM queue_ready AS waiting CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
WHERE waiting.queue = ?1
ORDER BY waiting.priority, waiting.run_at, waiting.seq;
