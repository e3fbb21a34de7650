-- In: queue, then priority, run_at and seq of a place. Out: the ready jobs behind it, in claim
-- order. Every entry is due (I11).
FROM queue_ready AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND (waiting.priority, waiting.run_at, waiting.seq) > (?2, ?3, ?4)
ORDER BY waiting.priority, waiting.run_at, waiting.seq;
