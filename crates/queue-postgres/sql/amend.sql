-- In: mark; for each job its key (queue, seq, id), the revision seen, and what is new of it, none
-- where it stays: priority, milliseconds from now until it is due, terms ('' for the plain ones),
-- content type and bytes of the payload; channel, origin. Each life once, in the order of seq.
-- Out: now, and each job that was amended, as it was before.
-- Guard: the revision that was seen, on the newest version of the row, under its lock; so the job
-- still waits. The row of `ready` leaves and comes back, as in any step of a life: a claim that
-- began before would otherwise take the new row and answer with the body of its own snapshot. It
-- comes back outside of lines. The priorities have their lanes already.
WITH t AS MATERIALIZED (SELECT {time}),
i AS MATERIALIZED (
  SELECT
    i.*, b.kind, b.priority, b.created_at, b.terms, b.expires_in, b.tags, b.partition
  FROM unnest(
    $2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::smallint[], $7::bigint[], $8::bytea[], $9::text[],
    $10::bytea[]
  ) WITH ORDINALITY AS i (
    queue, seq, id, seen_revision, to_priority, delay, to_terms, to_content_type, to_payload, n
  )
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.body AS b WHERE b.queue = i.queue AND b.seq = i.seq AND b.id = i.id LIMIT 1
  ) AS b
),
left_ready AS (
  DELETE FROM {schema}.ready AS s USING i
  WHERE s.queue = ANY (ARRAY[i.queue]) AND s.seq BETWEEN i.seq AND i.seq AND s.revision = i.seen_revision
  RETURNING i.n, s.*
),
was AS MATERIALIZED (SELECT * FROM left_ready),
back AS (
  INSERT INTO {schema}.ready (
    seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags, settled_event, settled_token,
    claimed_at, failed_at, error_name, error_message, error_details, progress, partition
  )
  SELECT
    s.seq, coalesce(t.now + i.delay, s.run_at), s.revision + 1, s.epoch, s.failures, s.stalls, s.queue,
    coalesce(octet_length(i.to_payload), s.size),
    CASE WHEN s.flags & 16 <> 0 AND EXISTS (
      SELECT 1 FROM {schema}.gate AS g WHERE g.queue = i.queue AND g.seq = i.seq AND g.closed_at = s.epoch
    ) THEN 2162688 ELSE {schema}.place(coalesce(i.to_priority, i.priority), i.partition) END, s.state, s.flags, s.settled_event,
    s.settled_token, s.claimed_at, s.failed_at, s.error_name, s.error_message, s.error_details, s.progress, s.partition
  FROM was AS s JOIN i ON i.n = s.n CROSS JOIN t
),
rewritten AS (
  UPDATE {schema}.body AS b SET
    priority = coalesce(x.to_priority, b.priority),
    terms = CASE WHEN x.to_terms IS NULL THEN b.terms ELSE nullif(x.to_terms, '') END,
    content_type = coalesce(x.to_content_type, b.content_type), payload = coalesce(x.to_payload, b.payload)
  FROM (SELECT i.* FROM was AS s JOIN i ON i.n = s.n) AS x
  WHERE b.queue = ANY (ARRAY[x.queue]) AND b.seq BETWEEN x.seq AND x.seq
    AND num_nonnulls(x.to_priority, x.to_terms, x.to_payload) > 0
),
told AS (
  SELECT count(pg_notify($11::text, $12::text || E'\n' || lines)) AS sent
  FROM (
    SELECT DISTINCT concat_ws(E'\t', 'w', queue) AS lines FROM was
    UNION ALL
    SELECT string_agg(concat_ws(E'\t', 'j', queue, seq, revision, state, id), E'\n')
    FROM (
      SELECT row_number() OVER (ORDER BY s.seq) / 20 AS part, i.queue, s.seq, s.revision + 1 AS revision, s.state, i.id
      FROM was AS s JOIN i ON i.n = s.n
      WHERE EXISTS (SELECT 1 FROM {schema}.feed AS f WHERE f.queue = i.queue AND f.until > (SELECT now FROM t))
    ) AS x
    GROUP BY part
  ) AS parts
  WHERE $11::text IS NOT NULL
)
SELECT (SELECT sent FROM told), {stamp}, {item}, {waiting},
  {gate_of_moved}
FROM t LEFT JOIN (was AS s JOIN i ON i.n = s.n) ON true;
