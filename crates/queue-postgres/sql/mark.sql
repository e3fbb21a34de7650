-- In: mark; for each job its key (queue, seq, id), the revision seen, the flags to set, and whether
-- and how long it is kept from now (a negative length is for ever); channel, origin. In the order
-- of seq.
-- Out: now, and each job that was marked, as it was before.
-- Guard: the revision that was seen, on the newest version of the row.
WITH t AS MATERIALIZED (SELECT {time}),
i AS MATERIALIZED (
  SELECT
    i.*, b.kind, b.priority, b.created_at, b.terms, b.expires_in, b.tags, b.partition
  FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::smallint[], $7::bigint[]) WITH ORDINALITY
    AS i (queue, seq, id, seen_revision, to_flags, keep, n)
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.body AS b WHERE b.queue = i.queue AND b.seq = i.seq AND b.id = i.id LIMIT 1
  ) AS b
),
was_ready AS MATERIALIZED (
  SELECT i.n, s.* FROM i CROSS JOIN LATERAL (
    SELECT * FROM {schema}.ready AS s WHERE s.queue = i.queue AND s.seq = i.seq AND s.revision = i.seen_revision AND i.keep IS NULL
    LIMIT 1 FOR UPDATE
  ) AS s
),
was_lease AS MATERIALIZED (
  SELECT i.n, s.* FROM i CROSS JOIN LATERAL (
    SELECT * FROM {schema}.lease AS s WHERE s.queue = i.queue AND s.seq = i.seq AND s.revision = i.seen_revision AND i.keep IS NULL
    LIMIT 1 FOR UPDATE
  ) AS s
),
was_finished AS MATERIALIZED (
  SELECT i.n, s.* FROM i CROSS JOIN LATERAL (
    SELECT * FROM {schema}.finished AS s
    WHERE s.queue = i.queue AND s.seq = i.seq AND s.revision = i.seen_revision AND (s.purge_at IS NULL OR s.purge_at > (SELECT now FROM t))
    LIMIT 1 FOR UPDATE
  ) AS s
),
was AS MATERIALIZED (
  SELECT s.n, s.seq, {waiting} FROM was_ready AS s
  UNION ALL
  SELECT s.n, s.seq, {leased} FROM was_lease AS s
  UNION ALL
  SELECT s.n, s.seq, {terminal} FROM was_finished AS s
),
marked_ready AS (
  UPDATE {schema}.ready AS x SET revision = x.revision + 1, flags = x.flags | i.to_flags
  FROM was_ready AS s JOIN i ON i.n = s.n
  WHERE x.queue = ANY (ARRAY[s.queue]) AND x.seq BETWEEN s.seq AND s.seq
),
marked_lease AS (
  UPDATE {schema}.lease AS x SET revision = x.revision + 1, flags = x.flags | i.to_flags
  FROM was_lease AS s JOIN i ON i.n = s.n
  WHERE x.queue = ANY (ARRAY[s.queue]) AND x.seq BETWEEN s.seq AND s.seq
),
marked_finished AS (
  UPDATE {schema}.finished AS x SET
    revision = x.revision + 1, flags = x.flags | i.to_flags,
    purge_at = CASE WHEN i.keep IS NULL THEN x.purge_at WHEN i.keep >= 0 THEN t.now + i.keep END
  FROM was_finished AS s JOIN i ON i.n = s.n CROSS JOIN t
  WHERE x.queue = ANY (ARRAY[s.queue]) AND x.seq BETWEEN s.seq AND s.seq
),
told AS (
  SELECT count(pg_notify($8::text, $9::text || E'\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\t', 'j', queue, seq, revision, state, id), E'\n') AS lines
    FROM (
      SELECT row_number() OVER (ORDER BY s.seq) / 20 AS part, i.queue, s.seq, s.revision + 1 AS revision, s.state, i.id
      FROM was AS s JOIN i ON i.n = s.n
      WHERE (s.state >= 3 AND s.flags & 2 <> 0)
        OR EXISTS (SELECT 1 FROM {schema}.feed AS f WHERE f.queue = i.queue AND f.until > (SELECT now FROM t))
    ) AS x
    GROUP BY part
  ) AS parts
  WHERE $8::text IS NOT NULL
)
SELECT (SELECT sent FROM told), {stamp}, {moved}
FROM t LEFT JOIN (was AS s JOIN i ON i.n = s.n) ON true;
