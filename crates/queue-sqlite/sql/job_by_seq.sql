-- In: seq, queue, id. Out: the job, if that life of that id is still there.
-- Settles come this way: one look-up in the table, none in an index.
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress
FROM queue_job
WHERE seq = ?1 AND queue = ?2 AND id = ?3;
