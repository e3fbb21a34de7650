-- In: queue, run_at, seq. Out: no row changed if a claim found it timed out, and so made it ready.
DELETE FROM queue_gated WHERE queue = ?1 AND run_at = ?2 AND seq = ?3;
