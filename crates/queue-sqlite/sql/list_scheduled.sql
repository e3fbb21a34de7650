-- In: queue, run_at and seq of a place. Out: the scheduled jobs behind it, the next first.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_scheduled AS waiting
CROSS JOIN queue_job AS job ON job.key = (waiting.queue << 40) + waiting.seq
LEFT JOIN queue_life AS life ON life.seq = waiting.seq
WHERE waiting.queue = ?1 AND (waiting.run_at, waiting.seq) > (?2, ?3)
ORDER BY waiting.run_at, waiting.seq;
