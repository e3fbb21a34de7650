-- In: seq, the revision that was changed, then every part that can change; a result of NULL leaves
-- the present one. Out: no row changed if the job has another revision by now. The values come from
-- lifecycle::lease or lifecycle::apply, whose guard was compared with that revision (I3, I4, I5,
-- I6).
UPDATE queue_life SET
  revision = ?3,
  state = ?4,
  run_after = ?5,
  epoch = ?6,
  failures = ?7,
  stalls = ?8,
  flags = ?9,
  claimed_after = ?10,
  expires_at = ?11,
  worker = ?12,
  token = ?13,
  settled_event = ?14,
  reason = ?15,
  finished_at = ?16,
  purge_at = ?17,
  error_name = ?18,
  error_message = ?19,
  failed_at = ?20,
  progress = ?21,
  result_type = coalesce(?22, result_type),
  result = coalesce(?23, result)
WHERE seq = ?1 AND revision = ?2;
