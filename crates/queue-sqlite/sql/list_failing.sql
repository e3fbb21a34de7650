-- In: queue, two places of time and seq. Out: the jobs between them that await another attempt, the oldest failure first.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_life AS life INDEXED BY queue_life_failing CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.state = 2 AND (life.failed_at, life.seq) > (?2, ?3) AND (life.failed_at, life.seq) < (?4, ?5)
ORDER BY life.failed_at, life.seq;
