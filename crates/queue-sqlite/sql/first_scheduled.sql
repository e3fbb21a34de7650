-- In: queue. Out: run_at of the scheduled job that is due first.
SELECT run_at FROM queue_scheduled WHERE queue = ?1 ORDER BY run_at LIMIT 1;
