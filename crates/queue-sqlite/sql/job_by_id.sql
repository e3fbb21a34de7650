-- In: queue, id. Out: the job that holds the id.
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress
FROM queue_job INDEXED BY queue_job_id
WHERE queue = ?1 AND id = ?2;
