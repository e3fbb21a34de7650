-- In: mark; for each job its key (queue, seq, id), guard (token, epoch and flags, or revision;
-- lapse) and patch (target table, new values); channel, origin; epochs; progress, beginnings of
-- messages. Each life once, in the order of seq.
-- Out: now, and each job that was moved, as it was before. What is not answered did not match its
-- guard.
-- Guard: the token and epoch of the present lease, and the flags seen (I4); or the revision that
-- was seen. A delete checks it again on the newest version of the row, under its lock. Rows are
-- visited in the order of the request, so that batches do not wait in a circle; under a plan that
-- visits them otherwise, the server breaks the circle and the batch is sent again. A lapsed lease
-- that somebody holds is passed over: it may be a caller's open transaction, and whoever rescues
-- cannot wait for its end. Marks: 1 a life that begins afresh, 4 expires no more,
-- 16 closes its gate, 32 its end signals go with `send.sql`. The type of a
-- result is that of the payload where a job waits again. An error that ends a lease is charged: an
-- attempt is added to the last nine. A step of a life: the row leaves one table and enters another,
-- or goes with its body (I5, I6, I20).
WITH t AS MATERIALIZED (SELECT {time}),
i AS MATERIALIZED (
  SELECT
    i.*, i.marks & 1 <> 0 AS fresh, b.kind, b.priority, b.created_at, b.terms, b.expires_in,
    b.tags, b.partition, octet_length(b.payload) AS size
  FROM unnest(
    $2::integer[], $3::bigint[], $4::text[], $5::bytea[], $6::smallint[], $7::bigint[], $8::smallint[], $9::smallint[],
    $10::smallint[], $11::smallint[], $12::smallint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::smallint[],
    $17::text[], $18::text[], $19::bytea[], $20::smallint[], $21::text[], $22::bytea[], $25::bigint[], $26::bytea[], $27::text[]
  ) WITH ORDINALITY AS i (
    queue, seq, id, token, seen_flags, seen_revision, lapse, event,
    target, to_state, time_rule, span, to_failures, to_stalls, to_reason,
    to_error, to_message, to_details, marks, to_result_type, to_result, seen_epoch, to_progress,
    to_excerpt, n
  )
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.body AS b WHERE b.queue = i.queue AND b.seq = i.seq AND b.id = i.id LIMIT 1
  ) AS b
),
free AS MATERIALIZED (
  SELECT i.n FROM i CROSS JOIN LATERAL (
    SELECT FROM {schema}.lease AS s WHERE s.queue = i.queue AND s.seq = i.seq LIMIT 1 FOR UPDATE SKIP LOCKED
  ) AS s
  WHERE i.lapse = 1
),
left_ready AS (
  DELETE FROM {schema}.ready AS s USING i
  WHERE s.queue = ANY (ARRAY[i.queue]) AND s.seq BETWEEN i.seq AND i.seq AND i.token IS NULL AND s.revision = i.seen_revision AND i.lapse <> 1
  RETURNING i.n, s.*
),
left_lease AS (
  DELETE FROM {schema}.lease AS s USING i
  WHERE s.queue = ANY (ARRAY[i.queue]) AND s.seq BETWEEN i.seq AND i.seq AND (i.lapse <> 1 OR i.n IN (SELECT n FROM free))
    AND CASE
      WHEN i.token IS NULL THEN s.revision = i.seen_revision
      ELSE s.token = i.token AND s.epoch = i.seen_epoch AND (i.seen_flags IS NULL OR s.flags & CASE WHEN i.target = 0 THEN 3 ELSE 35 END = i.seen_flags)
    END
    AND CASE i.lapse
      WHEN 1 THEN s.expires_at <= (SELECT now FROM t)
      WHEN 2 THEN s.expires_at > (SELECT now FROM t)
      ELSE true
    END
  RETURNING i.n, s.*
),
left_finished AS (
  DELETE FROM {schema}.finished AS s USING i
  WHERE s.queue = ANY (ARRAY[i.queue]) AND s.seq BETWEEN i.seq AND i.seq AND i.token IS NULL AND s.revision = i.seen_revision AND i.lapse <> 1
    AND (s.purge_at IS NULL OR s.purge_at > (SELECT now FROM t))
  RETURNING i.n, s.*
),
was AS MATERIALIZED (
  SELECT s.n, s.seq, {waiting}, s.error_details FROM left_ready AS s
  UNION ALL
  SELECT s.n, s.seq, {leased}, s.error_details FROM left_lease AS s
  UNION ALL
  SELECT s.n, s.seq, {terminal}, s.error_details FROM left_finished AS s
),
next AS MATERIALIZED (
  SELECT
    i.queue, i.seq, i.id, i.priority, i.size, i.target, i.to_state AS state, i.to_failures AS failures, i.to_stalls AS stalls,
    i.to_reason AS reason, i.to_result_type AS result_type, i.to_result AS result,
    CASE
      WHEN i.target <> 0 OR i.time_rule = 0 THEN s.run_at
      WHEN i.time_rule = 1 THEN least(s.run_at, t.now)
      ELSE t.now + i.span
    END AS run_at,
    t.now AS finished_at, CASE WHEN i.target = 1 THEN t.now + i.span END AS purge_at,
    s.revision + 1 AS revision, s.epoch,
    ((CASE WHEN i.target <> 0 THEN s.flags # ((s.flags & 32) * 3) WHEN i.fresh THEN s.flags & 16350 ELSE s.flags END) | (i.marks & 20)
      | CASE WHEN i.to_error IS NOT NULL AND s.worker IS NOT NULL THEN 8 ELSE 0 END)::smallint AS flags,
    CASE WHEN i.event IS NULL THEN s.settled_token ELSE i.token END AS settled_token,
    coalesce(i.event, s.settled_event) AS settled_event,
    s.claimed_at, CASE WHEN i.to_error IS NOT NULL THEN t.now WHEN NOT i.fresh THEN s.failed_at END AS failed_at,
    CASE WHEN i.to_error IS NOT NULL THEN i.to_error WHEN NOT i.fresh THEN s.error_name END AS error_name,
    CASE WHEN i.to_error IS NOT NULL THEN i.to_message WHEN NOT i.fresh THEN s.error_message END AS error_message,
    CASE WHEN i.to_error IS NOT NULL THEN i.to_details WHEN NOT i.fresh THEN s.error_details END AS error_details,
    CASE WHEN i.to_progress IS NOT NULL THEN i.to_progress WHEN NOT i.fresh THEN s.progress END AS progress,
    i.tags, s.flags & 8 <> 0 AS has_attempts, i.to_error IS NOT NULL AND s.worker IS NOT NULL AS is_charged, s.worker,
    i.to_stalls > s.stalls AS is_stall, i.partition, s.worker IS NOT NULL AND i.partition IS NOT NULL AS frees, i.to_excerpt AS excerpt, s.flags & 32 <> 0 AS sends, s.flags AS former_flags,
    i.fresh OR i.time_rule = 1 AS opens, i.marks & 32 <> 0 AS sends_later,
    -- Closed by this step, or before in this epoch and not opened by it.
    i.marks & 16 <> 0 OR (s.flags & 16 <> 0 AND i.target = 0 AND NOT (i.fresh OR i.time_rule = 1) AND EXISTS (
      SELECT 1 FROM {schema}.gate AS g WHERE g.queue = i.queue AND g.seq = i.seq AND g.closed_at = s.epoch
    )) AS is_gated
  FROM was AS s JOIN i ON i.n = s.n CROSS JOIN t
),
{sends_next}to_ready AS (
  INSERT INTO {schema}.ready (
    seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags, settled_event, settled_token,
    claimed_at, failed_at, error_name, error_message, error_details, progress, partition
  )
  SELECT
    seq, run_at, revision, epoch, failures, stalls, queue, size,
    CASE WHEN is_gated THEN 2162688 ELSE {schema}.place(priority, partition) END, state,
    flags, settled_event, settled_token, claimed_at, failed_at, error_name, error_message, error_details, progress, partition
  FROM next WHERE target = 0
),
to_finished AS (
  INSERT INTO {schema}.finished (
    seq, finished_at, purge_at, run_at, revision, epoch, failures, stalls, queue, state, flags, reason, settled_event,
    settled_token, claimed_at, failed_at, error_name, error_message, error_details, progress, result_type, result
  )
  SELECT
    seq, finished_at, purge_at, run_at, revision, epoch, failures, stalls, queue, state, flags, reason, settled_event,
    settled_token, claimed_at, failed_at, error_name, error_message, error_details, progress, result_type, result
  FROM next WHERE target = 1
),
charged AS (
  INSERT INTO {schema}.attempt (queue, seq, epoch, claimed_at, ended_at, outcome, worker, error_name, error_message)
  SELECT x.queue, x.seq, x.epoch, x.claimed_at, x.finished_at, x.is_stall::integer, x.worker, x.error_name, x.excerpt
  FROM next AS x WHERE x.is_charged AND x.target <> 2
),
-- Of those that were there before, nine stay beside a new one.
forgotten AS (
  DELETE FROM {schema}.attempt AS a USING (
    SELECT x.queue, x.seq, CASE WHEN x.target = 2 THEN x.epoch ELSE (
      SELECT epoch FROM {schema}.attempt AS a WHERE a.queue = x.queue AND a.seq = x.seq
      ORDER BY epoch DESC OFFSET 9 LIMIT 1
    ) END AS last
    FROM next AS x WHERE x.has_attempts AND (x.is_charged OR x.target = 2)
  ) AS x
  WHERE a.queue = ANY (ARRAY[x.queue]) AND a.seq BETWEEN x.seq AND x.seq AND a.epoch <= x.last
),
ungated AS (
  DELETE FROM {schema}.gate AS a USING next AS x
  WHERE x.target = 2 AND x.former_flags & 16 <> 0 AND a.queue = ANY (ARRAY[x.queue]) AND a.seq BETWEEN x.seq AND x.seq
),
unsigned AS (
  DELETE FROM {schema}.end_signal AS a USING next AS x
  WHERE x.target = 2 AND x.former_flags & 96 <> 0 AND NOT x.sends_later AND a.queue = ANY (ARRAY[x.queue]) AND a.seq BETWEEN x.seq AND x.seq
),
opened AS (
  UPDATE {schema}.gate AS a SET closed_at = NULL FROM next AS x
  WHERE x.target = 0 AND x.opens AND x.former_flags & 16 <> 0 AND a.queue = ANY (ARRAY[x.queue])
    AND a.seq BETWEEN x.seq AND x.seq AND a.closed_at IS NOT NULL
),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished, failing, completed, failed, cancelled)
  SELECT
    queue, coalesce(sum(n) FILTER (WHERE state < 3), 0), coalesce(sum(n) FILTER (WHERE state = 2), 0),
    coalesce(sum(n) FILTER (WHERE state = 3), 0),
    coalesce(sum(n) FILTER (WHERE state = 4), 0), coalesce(sum(n) FILTER (WHERE state = 5), 0)
  FROM (
    SELECT i.queue, s.state, -1 AS n FROM was AS s JOIN i ON i.n = s.n
    UNION ALL
    SELECT queue, state, 1 FROM next WHERE target <> 2
  ) AS steps
  GROUP BY queue
),
retyped AS (
  UPDATE {schema}.body AS b SET content_type = x.result_type
  FROM next AS x
  WHERE x.target = 0 AND x.result_type IS NOT NULL AND b.queue = ANY (ARRAY[x.queue]) AND b.seq BETWEEN x.seq AND x.seq
),
removed AS (
  DELETE FROM {schema}.body AS b USING next AS x
  WHERE x.target = 2 AND b.queue = ANY (ARRAY[x.queue]) AND b.seq BETWEEN x.seq AND x.seq
),
untagged AS (
  DELETE FROM {schema}.tag WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM (
    SELECT p.queue, p.seq, tag.tag FROM next AS p CROSS JOIN unnest(string_to_array(p.tags, E'\n')) AS tag (tag)
    WHERE p.target = 2
  ) AS p
    CROSS JOIN LATERAL (
      SELECT ctid FROM {schema}.tag AS x WHERE x.queue = p.queue AND x.tag = p.tag AND x.seq = p.seq LIMIT 1
    ) AS x
  ))
),
told AS (
  SELECT count(pg_notify($23::text, $24::text || E'\n' || lines)) AS sent
  FROM (
    SELECT DISTINCT concat_ws(E'\t', 'w', queue) AS lines FROM next AS s WHERE target = 0 OR (s.frees{is_limited})
    UNION ALL
    SELECT
      string_agg(concat_ws(E'\t', 'j', queue, seq, revision, CASE target WHEN 2 THEN -1 ELSE state END, id), E'\n')
    FROM (
      SELECT row_number() OVER (ORDER BY seq) / 20 AS part, x.* FROM next AS x
      WHERE (x.flags & 2 <> 0 AND x.target <> 0)
        OR EXISTS (SELECT 1 FROM {schema}.feed AS f WHERE f.queue = x.queue AND f.until > (SELECT now FROM t))
    ) AS x
    GROUP BY part
  ) AS parts
  WHERE $23::text IS NOT NULL
)
SELECT (SELECT sent FROM told){woken}, {stamp}, {moved}
FROM t LEFT JOIN (was AS s JOIN i ON i.n = s.n) ON true;
