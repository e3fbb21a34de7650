-- In: queue. Out: the first time-out of a gate.
SELECT run_at FROM queue_gated WHERE queue = ?1 ORDER BY run_at LIMIT 1;
