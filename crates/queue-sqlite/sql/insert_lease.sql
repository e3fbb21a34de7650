-- In: a job's first claim. The values come from lifecycle::lease (I3). Apart from insert_life
-- because this is the first change of nearly every job, and most columns are NULL then.
INSERT INTO queue_life (
  seq, queue, revision, state, run_after, epoch, failures, stalls, flags, claimed_after, expires_at, worker,
  token
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13);
