-- In: floor, queue, limit, lease, token, worker; a floor for all lanes, and higher ones (priority,
-- run_at, seq); whether to look for the first lapse; channel, origin; bytes, and until when the
-- sender listens.
-- Out: next due, the number of the pause, now, the first lapse, and the jobs as they were, in no
-- order; one row without a job at least.
-- Guard: due, waiting, not paused (I11), and not too late for the sender to hear of it. A row that
-- another claim holds at this moment is passed over (I3). What is taken ends before the first
-- payload that the answer has no room for, the first one always fits, and the rest stays as it is.
-- `picked` is materialised, so that its limit bounds what is leased whatever the plan. Each lane is
-- walked from its floor, a key before which nothing waits, so that what was claimed before is not
-- waded through. Mind its size: what it takes to run is just below the 128 KiB that glibc gives
-- back to the system, and fetches anew for the next call, which costs a claim of one job as much
-- again.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (SELECT paused FROM {schema}.queue WHERE queue = $2),
lanes AS MATERIALIZED (
  SELECT l.priority, coalesce(f.run_at, $7) AS run_at, coalesce(f.seq, 0) AS seq
  FROM {schema}.lane AS l
  LEFT JOIN unnest($8::smallint[], $9::bigint[], $10::bigint[]) AS f (priority, run_at, seq) ON f.priority = l.priority
  WHERE l.queue = $2
  ORDER BY l.priority
),
picked AS MATERIALIZED (
  SELECT r.*
  FROM lanes CROSS JOIN LATERAL (
    SELECT r.seq, r.priority, r.run_at, r.size FROM {schema}.ready AS r
    WHERE r.queue = $2 AND r.priority = lanes.priority AND (r.run_at, r.seq) > (lanes.run_at, lanes.seq)
      AND r.run_at <= (SELECT now FROM t) AND r.seq > 0
    ORDER BY r.run_at, r.seq
    LIMIT $3
    FOR UPDATE SKIP LOCKED
  ) AS r
  WHERE (SELECT paused FROM q) <= (SELECT now FROM t) AND ($15::bigint IS NULL OR (SELECT now FROM t) <= $15)
  LIMIT $3
),
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
due AS (
  SELECT min(n.run_at) AS at
  FROM lanes CROSS JOIN LATERAL (
    SELECT r.run_at FROM {schema}.ready AS r
    WHERE r.queue = $2 AND r.priority = lanes.priority AND (r.run_at, r.seq) > (lanes.run_at, lanes.seq)
      AND r.seq NOT IN (SELECT seq FROM room) AND r.seq > 0
    ORDER BY r.run_at, r.seq
    LIMIT 1
  ) AS n
),
lapse AS (
  SELECT min(expires_at) AS at FROM {schema}.lease
  WHERE $11 AND queue = $2 AND seq > 0
    AND deadline <= (SELECT expires_at FROM {schema}.lease WHERE queue = $2 AND seq > 0 ORDER BY deadline LIMIT 1)
),
feed AS (
  SELECT count(pg_notify($12::text, $13::text || E'\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\t', 'j', s.queue, s.seq, s.revision + 1, 1, b.id), E'\n') AS lines
    FROM (SELECT row_number() OVER (ORDER BY seq) / 20 AS part, taken.* FROM taken) AS s
    CROSS JOIN LATERAL (SELECT id FROM {schema}.body WHERE queue = $2 AND seq = s.seq LIMIT 1) AS b
    GROUP BY part
  ) AS parts
  WHERE $12::text IS NOT NULL AND EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM t))
)
SELECT
  least((SELECT at FROM due), (SELECT at FROM lapse), CASE WHEN s.seq IS NOT NULL THEN t.now + $4 END) AS next_due,
  (SELECT paused FROM q) AS paused, (SELECT sent FROM feed), {stamp}, (SELECT at FROM lapse), {body}, s.state, s.revision,
  s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.error_name, s.error_message, s.progress, s.failed_at, s.error_details,
  b.content_type, b.payload, b.headers
FROM t
LEFT JOIN taken AS s ON true
LEFT JOIN LATERAL (SELECT * FROM {schema}.body WHERE queue = $2 AND seq = s.seq LIMIT 1) AS b ON true;
