-- In: queue, now. Out: how many jobs of the scheduled lane are due by now and await promotion by a claim.
SELECT count(*)
FROM queue_job INDEXED BY queue_job_scheduled
WHERE queue = ?1 AND lane = 1 AND run_at <= ?2;
