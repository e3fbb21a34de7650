room AS MATERIALIZED (
  SELECT p.seq
  FROM (
    SELECT seq, sum(size) OVER w - first_value(greatest(size - $14::bigint, 0)) OVER w AS total
    FROM picked WINDOW w AS (ORDER BY priority, run_at, seq)
  ) AS p
  WHERE p.total <= $14
),
taken AS (
  DELETE FROM {schema}.ready AS s USING room AS p WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING
    s.seq, s.queue, s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.failed_at, s.error_name,
    s.error_message, s.error_details, s.progress
),
leased AS (
  INSERT INTO {schema}.lease (
    seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker, failed_at,
    error_name, error_message, error_details, progress
  )
  SELECT
    s.seq, t.now + $4, t.now, t.now + $4, s.run_at, s.revision + 1, s.epoch + 1, s.failures, s.stalls, s.queue, s.flags, $5, $6,
    s.failed_at, s.error_name, s.error_message, s.error_details, s.progress
  FROM taken AS s CROSS JOIN t
),
counted AS (
  INSERT INTO {schema}.tally (queue, failing) SELECT $2, -1 FROM taken WHERE state = 2
),
