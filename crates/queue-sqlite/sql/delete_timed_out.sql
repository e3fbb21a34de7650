-- In: queue, how many. Those that promote_timed_out took, which are the first.
DELETE FROM queue_gated
WHERE queue = ?1 AND (run_at, seq) <= (
  SELECT run_at, seq FROM queue_gated WHERE queue = ?1 ORDER BY run_at, seq LIMIT 1 OFFSET ?2 - 1
);
