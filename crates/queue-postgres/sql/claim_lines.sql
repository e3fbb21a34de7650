-- In: as of `claim.sql`; the most jobs to set aside; whether what came to gates was folded. If it
-- was not and the queue has gates, or has partitions, it is closed, and nothing is taken.
-- Out: as of `claim.sql`, the number of the pause being that of the queue; then how many jobs were
-- set aside, and, in one of the rows, of each line its kind, the number of its pause, and when the
-- first of the jobs that are left in it was due; then the gate of the job, whether the queue has
-- gates, the first time-out of one, and whether the queue has partitions.
-- Guard: as of `claim.sql`. The front of the lanes is read and locked no further than to as many
-- jobs of open kinds as are wanted; those of paused kinds on the way go to their lines (ADR 54).
-- What is claimed is the first, in the order of claims, of what the front and each open line begin
-- with. A job enters a line only while its row in `line` is held, still paused: so whoever deletes
-- that row, once it was locked, sees every job that ever came. Nothing here waits for anybody.
-- Cost: without jobs to set aside, one look per priority and line, and the kind of each job at the
-- front that is wanted.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (
  SELECT
    CASE WHEN has_partitions OR (has_gates AND NOT $17) THEN 9223372036854775807 ELSE paused END AS paused, has_gates,
    has_partitions
  FROM {schema}.queue WHERE queue = $2
),
lines AS MATERIALIZED (
  SELECT
    l.line, l.kind, l.paused, l.paused > (SELECT now FROM t) AS is_paused, l.line * 65536 - 32768 AS first,
    l.line * 65536 + 32767 AS last
  FROM {schema}.line AS l WHERE l.queue = $2
),
lanes AS MATERIALIZED (
  SELECT l.priority, coalesce(f.run_at, $7) AS run_at, coalesce(f.seq, 0) AS seq
  FROM {schema}.lane AS l
  LEFT JOIN unnest($8::smallint[], $9::bigint[], $10::bigint[]) AS f (priority, run_at, seq) ON f.priority = l.priority
  WHERE l.queue = $2
  ORDER BY l.priority
),
front AS MATERIALIZED (
  SELECT
    row_number() OVER () AS n, r.seq, r.priority, r.run_at, r.size,
    (
      SELECT l.line FROM lines AS l
      WHERE l.is_paused AND l.kind = (SELECT b.kind FROM {schema}.body AS b WHERE b.queue = $2 AND b.seq = r.seq LIMIT 1)
      LIMIT 1
    ) AS line
  FROM lanes CROSS JOIN LATERAL (
    SELECT r.seq, r.priority, r.run_at, r.size FROM {schema}.ready AS r
    WHERE r.queue = $2 AND r.priority = lanes.priority AND (r.run_at, r.seq) > (lanes.run_at, lanes.seq)
      AND r.run_at <= (SELECT now FROM t) AND r.seq > 0
    ORDER BY r.run_at, r.seq
    LIMIT $3::bigint + $16::bigint
    FOR UPDATE SKIP LOCKED
  ) AS r
  WHERE (SELECT paused FROM q) <= (SELECT now FROM t) AND ($15::bigint IS NULL OR (SELECT now FROM t) <= $15)
  LIMIT $3::bigint + $16::bigint
),
open AS MATERIALIZED (SELECT n, seq, priority, run_at, size FROM front WHERE line IS NULL LIMIT $3),
-- How far the front was read: to its end, or to the last of the jobs that are wanted.
reach AS MATERIALIZED (
  SELECT CASE WHEN count(*) < $3 THEN $3 + $16::bigint ELSE coalesce(max(n), 0) END AS n FROM open
),
aside AS MATERIALIZED (
  SELECT f.seq, f.line FROM (SELECT * FROM front LIMIT (SELECT n FROM reach)) AS f WHERE f.line IS NOT NULL LIMIT $16
),
held AS MATERIALIZED (
  SELECT l.line FROM {schema}.line AS l
  WHERE l.queue = $2 AND l.paused > (SELECT now FROM t) AND EXISTS (SELECT 1 FROM aside)
  FOR KEY SHARE SKIP LOCKED
),
moved AS (
  UPDATE {schema}.ready AS s SET priority = s.priority + p.line * 65536
  FROM (SELECT a.seq, a.line FROM aside AS a WHERE a.line IN (SELECT line FROM held)) AS p
  WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
  RETURNING s.seq, s.run_at, p.line
),
picked AS MATERIALIZED (
  SELECT u.*
  FROM (
    SELECT seq, priority, run_at, size FROM open
    UNION ALL
    SELECT r.seq, r.priority - l.line * 65536, r.run_at, r.size
    FROM lines AS l CROSS JOIN LATERAL (
      SELECT r.seq, r.priority, r.run_at, r.size FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.priority BETWEEN l.first AND l.last AND r.seq > 0
      ORDER BY r.priority, r.run_at, r.seq
      LIMIT $3
      FOR UPDATE SKIP LOCKED
    ) AS r
    WHERE NOT l.is_paused
      AND (SELECT paused FROM q) <= (SELECT now FROM t) AND ($15::bigint IS NULL OR (SELECT now FROM t) <= $15)
  ) AS u
  ORDER BY u.priority, u.run_at, u.seq
  LIMIT $3
),
{leasing}
due AS (
  SELECT min(n.run_at) AS at
  FROM lanes CROSS JOIN LATERAL (
    SELECT r.run_at FROM {schema}.ready AS r
    WHERE r.queue = $2 AND r.priority = lanes.priority AND (r.run_at, r.seq) > (lanes.run_at, lanes.seq)
      AND r.seq NOT IN (SELECT seq FROM room) AND r.seq NOT IN (SELECT seq FROM moved) AND r.seq > 0
    ORDER BY r.run_at, r.seq
    LIMIT 1
  ) AS n
),
heads AS MATERIALIZED (
  SELECT l.kind, l.paused, coalesce(
    (
      SELECT r.run_at FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.priority BETWEEN l.first AND l.last AND r.seq NOT IN (SELECT seq FROM room) AND r.seq > 0
      ORDER BY r.priority, r.run_at, r.seq LIMIT 1
    ),
    (SELECT m.run_at FROM moved AS m WHERE m.line = l.line LIMIT 1)
  ) AS head
  FROM lines AS l
),
{claim_hints}
SELECT
  least((SELECT at FROM due), (SELECT at FROM lapse), CASE WHEN s.seq IS NOT NULL THEN t.now + $4 END) AS next_due,
  (SELECT paused FROM q) AS paused, (SELECT sent FROM feed), {stamp}, (SELECT at FROM lapse), {body}, s.state, s.revision,
  s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.error_name, s.error_message, s.progress, s.failed_at, s.error_details,
  b.content_type, b.payload, b.headers, (SELECT count(*) FROM moved), l.kinds, l.pauses, l.heads,
  {gate_of_claimed}, (SELECT has_gates FROM q),
  (SELECT r.run_at FROM {schema}.ready AS r
   WHERE (SELECT has_gates FROM q) AND r.queue = $2 AND r.priority = 2162688 AND r.seq > 0
   ORDER BY r.run_at, r.seq LIMIT 1) AS timeout, (SELECT has_partitions FROM q){dealt}
FROM t
LEFT JOIN taken AS s ON true
LEFT JOIN LATERAL (SELECT * FROM {schema}.body WHERE queue = $2 AND seq = s.seq LIMIT 1) AS b ON true
LEFT JOIN LATERAL (
  SELECT array_agg(kind) AS kinds, array_agg(paused) AS pauses, array_agg(head) AS heads
  FROM heads WHERE s.seq IS NULL OR s.seq = (SELECT min(seq) FROM taken)
) AS l ON true;
