-- In: the first change of a job after it was enqueued. The values come from lifecycle::lease or
-- lifecycle::apply (I3).
INSERT INTO queue_life (
  seq, queue, revision, state, run_after, epoch, failures, stalls, flags, claimed_after, expires_at, worker, token,
  settled_event, reason, finished_at, purge_at, error_name, error_message, failed_at, progress, result_type, result
)
VALUES (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23
);
