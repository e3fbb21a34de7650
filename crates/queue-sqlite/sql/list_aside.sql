-- In: queue, then priority, run_at and seq of a place, limit, kind. Out: its jobs behind that place
-- which were set aside, in claim order.
FROM queue_aside AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND waiting.kind = ?6 AND (waiting.priority, waiting.run_at, waiting.seq) > (?2, ?3, ?4)
ORDER BY waiting.priority, waiting.run_at, waiting.seq
LIMIT ?5;
