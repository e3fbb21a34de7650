-- In: floor, queue, limit, lease, token, worker; a floor for all lanes, and higher ones (priority,
-- run_at, seq); whether to look for the first lapse; channel, origin; bytes, and until when the
-- sender listens.
-- Out: next due, until when the queue is closed, now, the first lapse, and the jobs as they were,
-- in no order; one row without a job at least. A queue is closed until its pause is over, or, while
-- it has lines, for ever: `claim_lines.sql` is for it then.
-- Guard: due, waiting, not paused (I11), and not too late for the sender to hear of it. A row that
-- another claim holds at this moment is passed over (I3). What is taken ends before the first
-- payload that the answer has no room for, the first one always fits, and the rest stays as it is.
-- `picked` is materialised, so that its limit bounds what is leased whatever the plan. Each lane is
-- walked from its floor, a key before which nothing waits, so that what was claimed before is not
-- waded through. Mind its size: what it takes to run is just below the 128 KiB that glibc gives
-- back to the system, and fetches anew for the next call, which costs a claim of one job as much
-- again.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (SELECT closed FROM {schema}.queue WHERE queue = $2),
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
  WHERE (SELECT closed FROM q) <= (SELECT now FROM t) AND ($15::bigint IS NULL OR (SELECT now FROM t) <= $15)
  LIMIT $3
),
{leasing}
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
{claim_hints}
SELECT
  least((SELECT at FROM due), (SELECT at FROM lapse), CASE WHEN s.seq IS NOT NULL THEN t.now + $4 END) AS next_due,
  (SELECT closed FROM q) AS closed, (SELECT sent FROM feed), {stamp}, (SELECT at FROM lapse), {body}, s.state, s.revision,
  s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.error_name, s.error_message, s.progress, s.failed_at, s.error_details,
  b.content_type, b.payload, b.headers{dealt}
FROM t
LEFT JOIN taken AS s ON true
LEFT JOIN LATERAL (SELECT * FROM {schema}.body WHERE queue = $2 AND seq = s.seq LIMIT 1) AS b ON true;
