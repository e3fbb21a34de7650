-- In: queue, tag, two seqs. Out: the jobs between them that have the tag, the newest first.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.max_attempts, job.max_stalls,
  job.keep_completed, job.keep_failed, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.time_limit, job.on_failure,
  job.tags, life.claimed_after, life.failed_at
FROM queue_tag AS tagged
CROSS JOIN queue_job AS job ON job.key = (tagged.queue << 40) + tagged.seq
LEFT JOIN queue_life AS life ON life.seq = tagged.seq
WHERE tagged.queue = ?1 AND tagged.tag = ?2 AND tagged.seq > ?3 AND tagged.seq < ?4
ORDER BY tagged.seq DESC;
