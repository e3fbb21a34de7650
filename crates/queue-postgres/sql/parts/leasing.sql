{room}
taken AS (
  DELETE FROM {schema}.ready AS s USING room AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING
    s.seq, s.queue, s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.failed_at, s.error_name,
    s.error_message, s.error_details, s.progress{asker}
),
leased AS (
  INSERT INTO {schema}.lease (
    seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker, failed_at,
    error_name, error_message, error_details, progress
  )
  SELECT
    s.seq, t.now + {lease_length}, t.now, t.now + {lease_length}, s.run_at, s.revision + 1, s.epoch + 1, s.failures, s.stalls, s.queue, s.flags, {holder},
    s.failed_at, s.error_name, s.error_message, s.error_details, s.progress
  FROM taken AS s CROSS JOIN t
),
counted AS (
  INSERT INTO {schema}.tally (queue, failing) SELECT $2, -1 FROM taken WHERE state = 2
),
