-- In: what was charged, in the step that charges it.
INSERT INTO queue_attempt (seq, epoch, outcome, claimed_at, ended_at, worker, error_name, error_message)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);
