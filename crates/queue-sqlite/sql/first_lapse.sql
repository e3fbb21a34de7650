-- In: queue. Out: expires_at of the lease that lapses first.
SELECT expires_at
FROM queue_job INDEXED BY queue_job_leased
WHERE queue = ?1 AND lane = 2
ORDER BY expires_at
LIMIT 1;
