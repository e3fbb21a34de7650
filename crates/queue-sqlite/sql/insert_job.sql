-- In: the parts of a new life. Out: no row changed if the id is taken; the caller then asks lifecycle::admit.
-- Guard: the unique key (queue, id) (I9).
INSERT INTO queue_job (
  seq, queue, id, kind, lane, state, revision, priority, created_at, run_at, epoch, failures, stalls,
  max_attempts, max_stalls, flags, keep_completed, keep_failed
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
ON CONFLICT (queue, id) DO NOTHING;
