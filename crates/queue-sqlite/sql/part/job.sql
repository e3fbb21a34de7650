-- The columns of a whole job, in the order in which `StoredJob::read` takes them. What follows says
-- of which jobs.
SELECT
  job.key, job.id, job.kind, job.priority, job.created_at, job.run_after, job.terms, job.awaited,
  life.revision, life.state, life.run_after, life.epoch, life.failures, life.stalls, life.flags, life.expires_at,
  life.worker, life.token, life.settled_event, life.reason, life.finished_at, life.purge_at, life.error_name,
  life.error_message, life.progress, job.expires_in, job.tags, life.claimed_after, life.failed_at
