-- In: queue, now, expires_at and seq of the last page's end, limit. Out: lapsed leases, the longest lapsed first.
-- The lapsed predicate.
SELECT
  seq, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed, expires_at, worker, token, settled_token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, progress
FROM queue_job INDEXED BY queue_job_leased
WHERE queue = ?1 AND lane = 2 AND expires_at <= ?2 AND (expires_at, seq) > (?3, ?4)
ORDER BY expires_at, seq
LIMIT ?5;
