-- In: seq, then every part of a job that can change. The values come from lifecycle::apply, whose guard was compared
-- in the same transaction (I3, I4, I5, I6).
UPDATE queue_job SET
  lane = ?2,
  state = ?3,
  revision = ?4,
  run_at = ?5,
  epoch = ?6,
  failures = ?7,
  stalls = ?8,
  flags = ?9,
  expires_at = ?10,
  worker = ?11,
  token = ?12,
  settled_token = ?13,
  settled_event = ?14,
  reason = ?15,
  finished_at = ?16,
  purge_at = ?17,
  error_name = ?18,
  error_message = ?19,
  progress = ?20
WHERE seq = ?1;
