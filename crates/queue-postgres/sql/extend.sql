-- In: mark; for each lease its key (queue, seq, id), token, length and progress; channel, origin;
-- epoch. In the order of seq.
-- Out: now, and each job whose lease was extended, as it is since.
-- Guard: the present token and epoch, and a lease that has not lapsed (I3, I4). Writes no index:
-- `deadline` stays. A row that somebody holds is passed over: it may be a caller's open
-- transaction, and the other leases cannot wait for its end.
WITH t AS MATERIALIZED (SELECT {time}),
i AS MATERIALIZED (
  SELECT
    i.*, b.kind, b.priority, b.created_at, b.terms, b.expires_in, b.tags, b.partition
  FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bytea[], $6::bigint[], $7::bytea[], $10::bigint[])
    WITH ORDINALITY AS i (queue, seq, id, token, span, to_progress, seen_epoch, n)
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.body AS b WHERE b.queue = i.queue AND b.seq = i.seq AND b.id = i.id LIMIT 1
  ) AS b
),
free AS MATERIALIZED (
  SELECT i.n, s.queue, s.seq FROM i CROSS JOIN LATERAL (
    SELECT queue, seq FROM {schema}.lease AS s
    WHERE s.queue = i.queue AND s.seq = i.seq AND s.token = i.token AND s.epoch = i.seen_epoch AND s.expires_at > (SELECT now FROM t)
    LIMIT 1 FOR UPDATE SKIP LOCKED
  ) AS s
),
extended AS (
  UPDATE {schema}.lease AS s SET
    expires_at = (SELECT now FROM t) + i.span,
    -- A lease that was cut short lapses before the claim's deadline, so the lower bound follows.
    deadline = least(s.deadline, (SELECT now FROM t) + i.span),
    revision = s.revision + 1,
    progress = coalesce(i.to_progress, s.progress)
  FROM free JOIN i ON i.n = free.n
  WHERE s.queue = ANY (ARRAY[free.queue]) AND s.seq BETWEEN free.seq AND free.seq
  RETURNING i.n, s.*
),
told AS (
  SELECT count(pg_notify($8::text, $9::text || E'\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\t', 'j', queue, seq, revision, 1, id), E'\n') AS lines
    FROM (
      SELECT row_number() OVER (ORDER BY s.seq) / 20 AS part, s.queue, s.seq, s.revision, i.id
      FROM extended AS s JOIN i ON i.n = s.n
      WHERE EXISTS (SELECT 1 FROM {schema}.feed AS f WHERE f.queue = s.queue AND f.until > (SELECT now FROM t))
    ) AS x
    GROUP BY part
  ) AS parts
  WHERE $8::text IS NOT NULL
)
SELECT
  (SELECT sent FROM told), {stamp}, {item}, {leased},
  {gate_of_moved}
FROM t LEFT JOIN (extended AS s JOIN i ON i.n = s.n) ON true;
