-- In: mark, queue, columns of the jobs (each id once), channel, origin, whether the statement may be sent again.
-- Out: now, position, the new life if one began, and what holds or held the id: life, revision, state, result.
-- Guard: the rule of ids (I9). A job with neither a new life nor a holder met another enqueue of the same id that
-- ended meanwhile: ask again. Where the statement may be sent again it fails as a whole, by a division by zero, since the
-- jobs behind such a one would get lower numbers than it (I12).
-- All or nothing, being one statement (I19). Ids are entered in their order, so that of two batches with common ids one waits for
-- the other; so are those that make room, whose old body becomes the new one: a batch that began before they did would otherwise
-- wait for their delete, out of turn. Lives are numbered in the order of the request (I12).
WITH t AS MATERIALIZED (SELECT {now} AS now),
input AS MATERIALIZED (
  SELECT * FROM unnest(
    $3::text[], $4::text[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
    $11::boolean[], $12::smallint[], $13::text[], $14::bytea[]
  ) WITH ORDINALITY AS i (
    id, kind, priority, delay, max_attempts, max_stalls, keep_completed, keep_failed, replaces, flags, content_type,
    payload, n
  )
),
present AS MATERIALIZED (
  SELECT
    i.n, j.seq, j.revision, j.state, j.result_type, j.result,
    coalesce(j.purge_at <= (SELECT now FROM t), false) OR j.state = 5 OR (j.state = 4 AND i.replaces) AS makes_room
  FROM input AS i CROSS JOIN LATERAL (
    SELECT seq, revision, state, purge_at, result_type, result FROM {schema}.job WHERE queue = $2 AND id = i.id LIMIT 1
  ) AS j
),
gone AS (
  DELETE FROM {schema}.finished WHERE seq = ANY (ARRAY(SELECT seq FROM present WHERE makes_room)) RETURNING seq
),
numbered AS MATERIALIZED (
  SELECT nextval({life}) AS seq, i.*
  FROM (
    SELECT i.* FROM input AS i
    WHERE i.n NOT IN (SELECT n FROM present WHERE NOT makes_room)
    ORDER BY i.n
  ) AS i
),
fresh AS (
  INSERT INTO {schema}.body AS b (
    seq, created_at, max_attempts, max_stalls, keep_completed, keep_failed, queue, priority, id, kind, content_type,
    payload
  )
  SELECT
    i.seq, t.now, i.max_attempts, i.max_stalls, i.keep_completed, i.keep_failed, $2, i.priority, i.id, i.kind,
    i.content_type, i.payload
  FROM numbered AS i CROSS JOIN t
  WHERE (SELECT count(*) FROM gone) >= 0 -- whoever deletes the state may replace the body
  ORDER BY i.id
  ON CONFLICT (queue, id) DO UPDATE SET
    seq = excluded.seq, created_at = excluded.created_at, max_attempts = excluded.max_attempts,
    max_stalls = excluded.max_stalls, keep_completed = excluded.keep_completed, keep_failed = excluded.keep_failed,
    priority = excluded.priority, kind = excluded.kind, content_type = excluded.content_type, payload = excluded.payload
  WHERE b.seq = ANY (ARRAY(SELECT seq FROM gone))
  RETURNING seq
),
waiting AS (
  INSERT INTO {schema}.ready (seq, run_at, revision, epoch, failures, stalls, queue, priority, state, flags)
  SELECT i.seq, t.now + i.delay, 1, 0, 0, 0, $2, i.priority, 0, i.flags
  FROM numbered AS i CROSS JOIN t
  WHERE i.seq IN (SELECT seq FROM fresh)
),
told AS (
  SELECT count(pg_notify($15::text, $16::text || E'\n' || lines)) AS sent
  FROM (
    SELECT concat_ws(E'\t', 'w', $2) AS lines WHERE EXISTS (SELECT 1 FROM fresh)
    UNION ALL
    SELECT string_agg(concat_ws(E'\t', 'j', $2, i.seq, 1, 0, i.id), E'\n' ORDER BY i.seq)
    FROM (SELECT row_number() OVER (ORDER BY seq) / 20 AS part, seq, id FROM numbered) AS i
    WHERE i.seq IN (SELECT seq FROM fresh)
      AND EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM t))
    GROUP BY part
  ) AS parts
  WHERE $15::text IS NOT NULL
)
SELECT
  t.now, i.n, CASE WHEN m.seq IN (SELECT seq FROM fresh) THEN m.seq END, p.seq, p.revision, p.state, p.result_type, p.result,
  p.makes_room, (SELECT sent FROM told),
  CASE WHEN $17 AND m.seq NOT IN (SELECT seq FROM fresh) THEN 1 / (m.n - m.n) END
FROM t CROSS JOIN input AS i LEFT JOIN numbered AS m ON m.n = i.n LEFT JOIN present AS p ON p.n = i.n;
