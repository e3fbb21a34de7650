-- In: queue, then priority, run_at and seq of the last job that a claim took. A claim takes from
-- the front, so everything up to there was taken.
DELETE FROM queue_ready WHERE queue = ?1 AND (priority, run_at, seq) <= (?2, ?3, ?4);
