-- In: queue, then priority, run_at and seq of a place, now, limit. Out: gated jobs behind it whose
-- time-out has come, in claim order, which is not theirs until a claim moves them: this sorts all
-- that timed out since.
FROM queue_gated AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND waiting.run_at <= ?5 AND (job.priority, waiting.run_at, waiting.seq) > (?2, ?3, ?4)
ORDER BY job.priority, waiting.run_at, waiting.seq
LIMIT ?6;
