-- In: mark, queue, columns of the jobs (each id once), channel, origin, whether the statement may
-- be sent again, bytes of results; how long jobs may wait for their start, -1 for ever; how long
-- jobs that take the place of a waiting one may be put off, -1 for ever, and -2 for those that take
-- no such place; headers, tags and partitions, '' for none.
-- Out: now, position, the new life if one began, and what holds or held the id: life, revision,
-- state, result. Results end before the first that the answer has no room for, and the first one
-- always fits.
-- Guard: the rule of ids (I9). A job with neither a new life nor a holder met another enqueue of
-- the same id that ended meanwhile: ask again. Where the statement may be sent again it fails as a
-- whole, by `refuse_lost_race` (SQLSTATE QJ001), since the jobs behind such a one would get lower
-- numbers than it (I12). All or nothing, being one statement (I19). What waits for others comes
-- first and in one order whatever the plan: states that make room by seq, then new ids in their
-- bytes' order, so that of two batches with common ids one waits for the other. The bodies of those
-- that make room are written over last, and nobody else locks them: whoever deletes a state, and
-- nobody else, may touch its body. Lives are numbered in the order of the request (I12).
-- A life that takes the place of a waiting job was created when that one was, `since`, and is put
-- off from then on (JobMeta::replacing, in SQL). A claim never waits for a row, so a job that one
-- has in hand is waited for, and then is taken.
WITH t AS MATERIALIZED (SELECT {time}),
input AS MATERIALIZED (
  SELECT * FROM unnest(
    $3::text[], $4::text[], $5::smallint[], $6::bigint[], $7::bytea[], $8::boolean[], $9::smallint[],
    $10::text[], $11::bytea[], $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::text[]
  ) WITH ORDINALITY AS i (
    id, kind, priority, delay, terms, replaces, flags, content_type, payload, expires_in, max_wait, headers, tags, partition, n
  )
),
present AS MATERIALIZED (
  SELECT
    i.n, j.seq, j.revision, j.state, j.result_type, j.result, j.tags,
    coalesce(j.purge_at <= (SELECT now FROM t), false) OR j.has_no_signals AND (
      j.state = 5 OR (j.state = 4 AND i.replaces) OR j.is_expired OR (j.state IN (0, 2) AND i.max_wait > -2)
    ) AS makes_room,
    CASE WHEN j.state IN (0, 2) AND i.max_wait > -2 AND NOT j.is_expired THEN j.created_at END AS since
  FROM input AS i CROSS JOIN LATERAL (
    SELECT
      seq, revision, state, created_at, purge_at, result_type, result, tags, flags & 96 = 0 AS has_no_signals,
      state = 0 AND flags & 4 = 0 AND coalesce(created_at + expires_in <= (SELECT now FROM t), false) AS is_expired
    FROM {schema}.job WHERE queue = $2 AND id = i.id AND seq > 0 LIMIT 1
  ) AS j
),
room AS MATERIALIZED (
  SELECT r.n
  FROM (
    SELECT n, sum(octet_length(result)) OVER w - first_value(greatest(octet_length(result) - $15::bigint, 0)) OVER w AS total
    FROM present WHERE result IS NOT NULL AND NOT makes_room WINDOW w AS (ORDER BY n)
  ) AS r
  WHERE r.total <= $15
),
-- The version that was judged: one that was claimed since then makes no room, nor does one that is
-- kept for longer.
gone_ready AS (
  DELETE FROM {schema}.ready AS s
  USING (SELECT * FROM present WHERE makes_room ORDER BY seq) AS p
  WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq AND s.revision = p.revision
  RETURNING p.n, p.since, p.tags, s.seq, s.revision, s.flags, s.state
),
gone_finished AS (
  DELETE FROM {schema}.finished AS s
  USING (SELECT * FROM present WHERE makes_room ORDER BY seq) AS p
  WHERE s.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq AND s.revision = p.revision
  RETURNING p.n, p.since, p.tags, s.seq, s.revision, s.flags, s.state
),
gone AS MATERIALIZED (SELECT * FROM gone_ready UNION ALL SELECT * FROM gone_finished),
numbered AS MATERIALIZED (
  SELECT nextval({life}) AS seq, i.*
  FROM (
    SELECT i.* FROM input AS i
    WHERE i.n NOT IN (SELECT n FROM present WHERE NOT makes_room)
    ORDER BY i.n
  ) AS i
),
fresh AS (
  INSERT INTO {schema}.body (
    seq, created_at, terms, expires_in, queue, priority, id, kind, headers, tags, partition, content_type, payload
  )
  SELECT
    i.seq, t.now, nullif(i.terms, ''), nullif(i.expires_in, -1), $2, i.priority, i.id, i.kind, nullif(i.headers, ''),
    nullif(i.tags, ''), nullif(i.partition, ''), i.content_type, i.payload
  FROM numbered AS i CROSS JOIN t
  WHERE i.n NOT IN (SELECT n FROM gone)
  ORDER BY i.id COLLATE "C"
  ON CONFLICT (queue, id) WHERE seq > 0 DO NOTHING
  RETURNING seq
),
renewed AS (
  UPDATE {schema}.body AS b SET
    seq = i.seq, created_at = coalesce(i.since, i.now), terms = nullif(i.terms, ''),
    expires_in = nullif(i.expires_in, -1), priority = i.priority, kind = i.kind, headers = nullif(i.headers, ''), tags = nullif(i.tags, ''), partition = nullif(i.partition, ''), content_type = i.content_type, payload = i.payload
  FROM (SELECT i.*, g.seq AS former, g.since, t.now FROM gone AS g JOIN numbered AS i ON i.n = g.n CROSS JOIN t) AS i
  WHERE b.queue = ANY (ARRAY[$2 + (i.former * 0)::integer]) AND b.seq BETWEEN i.former AND i.former
    AND (SELECT count(*) FROM fresh) >= 0 -- these wait for nobody, so those come first
  RETURNING b.seq
),
begun AS MATERIALIZED (SELECT seq FROM fresh UNION ALL SELECT seq FROM renewed),
waiting AS (
  INSERT INTO {schema}.ready (seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags, partition)
  SELECT
    i.seq,
    least(t.now + i.delay, CASE WHEN g.since IS NOT NULL AND i.max_wait >= 0 THEN greatest(g.since + i.max_wait, t.now) END),
    1, 0, 0, 0, $2, octet_length(i.payload), {schema}.place(i.priority, nullif(i.partition, '')), 0, i.flags,
    nullif(i.partition, '')
  FROM numbered AS i CROSS JOIN t LEFT JOIN gone AS g ON g.n = i.n
  WHERE i.seq IN (SELECT seq FROM begun)
),
tagged AS (
  INSERT INTO {schema}.tag (queue, tag, seq)
  SELECT $2, tag.tag, i.seq FROM numbered AS i CROSS JOIN unnest(string_to_array(i.tags, E'\n')) AS tag (tag)
  WHERE i.seq IN (SELECT seq FROM begun)
),
untagged AS (
  DELETE FROM {schema}.tag WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM (SELECT g.seq, tag.tag FROM gone AS g CROSS JOIN unnest(string_to_array(g.tags, E'\n')) AS tag (tag)) AS p
    CROSS JOIN LATERAL (
      SELECT ctid FROM {schema}.tag AS x WHERE x.queue = $2 AND x.tag = p.tag AND x.seq = p.seq LIMIT 1
    ) AS x
  ))
),
{ungated}
forgotten AS (
  DELETE FROM {schema}.attempt AS a USING gone AS p
  WHERE p.flags & 8 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.seq BETWEEN p.seq AND p.seq
),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished, failing, completed, failed, cancelled)
  SELECT
    $2, (SELECT count(*) FROM begun) - count(*) FILTER (WHERE state < 3), -count(*) FILTER (WHERE state = 2),
    -count(*) FILTER (WHERE state = 3), -count(*) FILTER (WHERE state = 4), -count(*) FILTER (WHERE state = 5)
  FROM gone HAVING (SELECT count(*) FROM begun) > 0
),
changes AS (
  SELECT i.n, g.seq, g.revision + 1 AS revision, -1 AS state, i.id, g.flags
  FROM gone AS g JOIN input AS i ON i.n = g.n
  UNION ALL
  SELECT i.n, i.seq, 1, 0, i.id, 0 FROM numbered AS i WHERE i.seq IN (SELECT seq FROM begun)
),
told AS (
  SELECT count(pg_notify($12::text, $13::text || E'\n' || lines)) AS sent
  FROM (
    SELECT concat_ws(E'\t', 'w', $2) AS lines WHERE EXISTS (SELECT 1 FROM begun)
    UNION ALL
    SELECT string_agg(concat_ws(E'\t', 'j', $2, seq, revision, state, id), E'\n' ORDER BY n, seq)
    FROM (
      SELECT row_number() OVER (ORDER BY n, seq) / 20 AS part, c.* FROM changes AS c
      WHERE flags & 2 <> 0 OR EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM t))
    ) AS c
    GROUP BY part
  ) AS parts
  WHERE $12::text IS NOT NULL
)
SELECT
  {stamp}, i.n, CASE WHEN m.seq IN (SELECT seq FROM begun) THEN m.seq END, p.seq, p.revision, p.state,
  CASE WHEN p.n IN (SELECT n FROM room) THEN p.result_type END, CASE WHEN p.n IN (SELECT n FROM room) THEN p.result END,
  p.makes_room, (SELECT sent FROM told),
  CASE WHEN $14 AND m.seq IS NOT NULL AND m.seq NOT IN (SELECT seq FROM begun)
    THEN {schema}.refuse_lost_race() END
FROM t CROSS JOIN input AS i LEFT JOIN numbered AS m ON m.n = i.n LEFT JOIN present AS p ON p.n = i.n;
