-- In: queue, now. Out: how many scheduled jobs are due by now and await promotion by a claim.
SELECT count(*) FROM queue_scheduled WHERE queue = ?1 AND run_at <= ?2;
