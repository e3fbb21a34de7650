-- In: queue. Out: its leased jobs, in no order.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_life AS life INDEXED BY queue_life_leased CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.expires_at IS NOT NULL;
