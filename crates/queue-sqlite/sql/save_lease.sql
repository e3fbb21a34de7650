-- In: seq, lane, state, revision, epoch, expires_at, worker, token. The values come from lifecycle::lease (I3).
-- Apart from save_job because claims are half of all writes and touch few columns.
UPDATE queue_job SET
  lane = ?2,
  state = ?3,
  revision = ?4,
  epoch = ?5,
  expires_at = ?6,
  worker = ?7,
  token = ?8,
  settled_token = NULL,
  settled_event = NULL
WHERE seq = ?1;
