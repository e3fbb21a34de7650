-- In: seq, the revision that was changed, then every part that can change; a result of NULL leaves the present one.
-- Out: no row changed if the job has another revision by now. The values come from lifecycle::lease or
-- lifecycle::apply, whose guard was compared with that revision (I3, I4, I5, I6).
UPDATE queue_life SET
  revision = ?3,
  state = ?4,
  run_at = ?5,
  epoch = ?6,
  failures = ?7,
  stalls = ?8,
  flags = ?9,
  expires_at = ?10,
  worker = ?11,
  token = ?12,
  settled_event = ?13,
  reason = ?14,
  finished_at = ?15,
  purge_at = ?16,
  error_name = ?17,
  error_message = ?18,
  progress = ?19,
  result_type = coalesce(?20, result_type),
  result = coalesce(?21, result)
WHERE seq = ?1 AND revision = ?2;
