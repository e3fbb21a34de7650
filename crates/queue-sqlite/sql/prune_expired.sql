-- In: queue, now, limit. Out: jobs past their purge time, the longest first. The purge predicate.
FROM queue_life AS life INDEXED BY queue_life_finished CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.purge_at <= ?2 AND life.finished_at IS NOT NULL
ORDER BY life.purge_at, life.finished_at, life.seq
LIMIT ?3;
