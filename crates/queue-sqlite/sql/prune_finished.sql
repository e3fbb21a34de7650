-- In: queue, cutoff, limit. Out: jobs that finished up to the cutoff, whatever their retention.
-- Walks the index of finished jobs, which holds finished_at, and reads the table for matches alone.
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress
FROM queue_job INDEXED BY queue_job_finished
WHERE queue = ?1 AND lane = 3 AND finished_at <= ?2
ORDER BY purge_at, finished_at, seq
LIMIT ?3;
