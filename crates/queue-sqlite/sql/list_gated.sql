-- In: queue, run_at and seq of a place. Out: the gated jobs behind it, the next time-out first.
FROM queue_gated AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND (waiting.run_at, waiting.seq) > (?2, ?3)
ORDER BY waiting.run_at, waiting.seq;
