-- In: queue, limit. Out: jobs in claim order (I12). Every entry of this index is due (I11).
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress
FROM queue_job INDEXED BY queue_job_ready
WHERE queue = ?1 AND lane = 0
ORDER BY priority, run_at, seq
LIMIT ?2;
