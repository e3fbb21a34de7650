-- In: queue, now, expires_at and seq of the last page's end, limit. Out: lapsed leases, the longest lapsed first.
-- The lapsed predicate.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_at, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_at, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure
FROM queue_life AS life INDEXED BY queue_life_leased CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.expires_at <= ?2 AND (life.expires_at, life.seq) > (?3, ?4)
ORDER BY life.expires_at, life.seq
LIMIT ?5;
