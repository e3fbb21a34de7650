-- In: queue, how many. Those that promote_due took, which are the first.
DELETE FROM queue_scheduled
WHERE queue = ?1 AND (run_at, seq) <= (
  SELECT run_at, seq FROM queue_scheduled WHERE queue = ?1 ORDER BY run_at, seq LIMIT 1 OFFSET ?2 - 1
);
