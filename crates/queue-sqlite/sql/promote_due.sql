-- In: queue, now, limit. Moves scheduled jobs whose time has come into the ready lane, the earliest first.
-- The due predicate of a claim: nothing enters the ready lane before its run_at (I11).
UPDATE queue_job SET lane = 0
WHERE seq IN (
  SELECT seq FROM queue_job INDEXED BY queue_job_scheduled
  WHERE queue = ?1 AND lane = 1 AND run_at <= ?2
  ORDER BY run_at, seq
  LIMIT ?3
);
