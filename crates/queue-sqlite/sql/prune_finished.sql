-- In: queue, cutoff, limit. Out: jobs that finished up to the cutoff, whatever their retention.
-- Walks the index of finished jobs, which holds finished_at, and reads the tables for matches
-- alone.
FROM queue_life AS life INDEXED BY queue_life_finished CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.finished_at <= ?2
ORDER BY life.purge_at, life.finished_at, life.seq
LIMIT ?3;
