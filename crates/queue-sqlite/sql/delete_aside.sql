-- In: queue, priority, run_at, seq. One seek for each of the few kinds.
DELETE FROM queue_aside
WHERE queue = ?1 AND kind IN (SELECT kind FROM queue_kind WHERE queue = ?1)
  AND priority = ?2 AND run_at = ?3 AND seq = ?4;
