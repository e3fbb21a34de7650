-- In: mark, queue, columns of the jobs (each id once, in the order of ids; with their positions in
-- the request, from 1; terms, '' for the plain ones), channel, origin; how long jobs may wait for
-- their start, -1 for ever; and, where the statement is for jobs with labels, headers, tags and
-- partitions, '' for none. A column that is the same for all jobs may have one element: what
-- `unnest` finds missing is taken from there.
-- Out: now, and the new lives in the order of the request; no row if one of the ids is taken, or if
-- somebody follows the queue and has to be told of each job, and then nothing was written: that is
-- for `enqueue.sql` to do.
-- Guard: every id is free (I9), as those of almost all jobs are. Whoever takes one of them between
-- the look and the insert makes this fail as a whole, by the unique key. All or nothing, being one
-- statement (I19). Ids are entered in their order, so that two batches with common ids wait for
-- each other instead of both; lives are numbered in the order of the request (I12).
WITH c AS MATERIALIZED (SELECT {time}),
t AS MATERIALIZED (
  SELECT c.now, c.clock, ARRAY(SELECT nextval({life}) FROM generate_series(1, cardinality($3::text[]))) AS lives
  FROM c WHERE NOT EXISTS (
    SELECT 1 FROM unnest($3::text[]) AS i (id)
    CROSS JOIN LATERAL (SELECT 1 FROM {schema}.body AS b WHERE b.queue = $2 AND b.id = i.id AND b.seq > 0 LIMIT 1) AS b
  )
    AND NOT EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM c))
),
i AS MATERIALIZED (
  SELECT
    t.now, t.lives[i.n] AS seq, i.id, coalesce(i.kind, ($5::text[])[1]) AS kind,
    coalesce(i.priority, ($6::smallint[])[1]) AS priority, coalesce(i.delay, ($7::bigint[])[1]) AS delay,
    nullif(coalesce(i.terms, ($8::bytea[])[1]), '') AS terms, coalesce(i.flags, ($9::smallint[])[1]) AS flags,
    nullif(coalesce(i.expires_in, ($14::bigint[])[1]), -1) AS expires_in,
    coalesce(i.content_type, ($10::text[])[1]) AS content_type, i.payload{labels_read}
  FROM t CROSS JOIN unnest(
    $3::text[], $4::integer[], $5::text[], $6::smallint[], $7::bigint[], $8::bytea[], $9::smallint[],
    $10::text[], $11::bytea[], $14::bigint[]{labels_taken}
  ) AS i (
    id, n, kind, priority, delay, terms, flags, content_type, payload, expires_in{labels}
  )
),
fresh AS (
  INSERT INTO {schema}.body (
    seq, created_at, terms, expires_in, queue, priority, id, kind, content_type, payload{labels}
  )
  SELECT
    seq, now, terms, expires_in, $2, priority, id, kind, content_type, payload{labels}
  FROM i
),{tagged}
waiting AS (
  INSERT INTO {schema}.ready (seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags{partition})
  SELECT seq, now + delay, 1, 0, 0, 0, $2, octet_length(payload), {place}, 0, flags{partition} FROM i
),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished) SELECT $2, cardinality(lives) FROM t WHERE cardinality(lives) > 0
)
SELECT
  {stamp}, t.lives,
  (SELECT count(pg_notify($12::text, concat_ws(E'\n', $13::text, concat_ws(E'\t', 'w', $2))))
   WHERE $12::text IS NOT NULL) AS sent
FROM t;
