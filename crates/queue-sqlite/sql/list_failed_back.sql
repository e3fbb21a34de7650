-- In: queue, state, two places of time and seq. Out: the failed or cancelled jobs between them, the newest end first.
-- That the state is one of the two is said in the words of the index, which is of them alone.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_life AS life INDEXED BY queue_life_failed CROSS JOIN queue_job AS job ON job.key = (life.queue << 40) + life.seq
WHERE life.queue = ?1 AND life.state = ?2 AND life.state IN (4, 5)
  AND (life.finished_at, life.seq) > (?3, ?4) AND (life.finished_at, life.seq) < (?5, ?6)
ORDER BY life.finished_at DESC, life.seq DESC;
