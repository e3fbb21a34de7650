-- In: queue, state, two places of time and seq. Out: the jobs between them, the one that is there longest first.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_failure AS failure
CROSS JOIN queue_job AS job ON job.key = (failure.queue << 40) + failure.seq
LEFT JOIN queue_life AS life ON life.seq = failure.seq
WHERE failure.queue = ?1 AND failure.state = ?2 AND (failure.at, failure.seq) > (?3, ?4) AND (failure.at, failure.seq) < (?5, ?6)
ORDER BY failure.at, failure.seq;
