-- In: seq. Out: jobs of all queues behind it, in order; `queue` comes last. The reader bounds how many it steps through.
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress,
  queue
FROM queue_job
WHERE seq > ?1
ORDER BY seq;
