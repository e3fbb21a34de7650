-- In: mark; for each job its key (queue, seq, id), guard (token, flags seen, epoch) and result (how
-- long it is kept, negative for ever; failures, stalls, content type, bytes); channel, origin;
-- epochs. Each life once, in the order of seq. But for seq and id, a column that is the same for
-- all may have one element: what `unnest` finds missing is taken from there.
-- Out: now, and each job that was completed, as it was before. What is not answered did not match
-- its guard. Completions that keep a record are by far the most frequent change, so they have this
-- statement beside the general `move.sql`, which does the same.
-- Guard: the token and epoch of the present lease, and the flags seen (I4), by a delete that checks
-- them on the newest version of the row, under its lock. Rows are visited in the order of the
-- request, since each is looked up by itself. Of the body only what is answered is read: the server
-- keeps whole rows of what a delete is joined with, payloads too. Numbers: 3 is Completed as a
-- state, 0 is Complete as a settle. A step of a life: the row leaves `lease` and enters `finished`
-- (I5, I6, I20).
WITH t AS MATERIALIZED (SELECT {time}),
held AS (
  DELETE FROM {schema}.lease AS s USING (
    SELECT {body}, b.queue, b.partition, i.token, i.seen_flags, i.span, i.failures, i.stalls, i.result_type, i.result, i.seen_epoch
    FROM (
      SELECT
        i.seq, i.id, coalesce(i.queue, ($2::integer[])[1]) AS queue, coalesce(i.token, ($5::bytea[])[1]) AS token,
        coalesce(i.seen_flags, ($6::smallint[])[1]) AS seen_flags, coalesce(i.span, ($7::bigint[])[1]) AS span,
        coalesce(i.failures, ($8::bigint[])[1]) AS failures, coalesce(i.stalls, ($9::bigint[])[1]) AS stalls,
        coalesce(i.result_type, ($10::text[])[1]) AS result_type, coalesce(i.result, ($11::bytea[])[1]) AS result,
        coalesce(i.epoch, ($14::bigint[])[1]) AS seen_epoch
      FROM unnest(
        $2::integer[], $3::bigint[], $4::text[], $5::bytea[], $6::smallint[], $7::bigint[], $8::bigint[], $9::bigint[],
        $10::text[], $11::bytea[], $14::bigint[]
      ) AS i (queue, seq, id, token, seen_flags, span, failures, stalls, result_type, result, epoch)
    ) AS i
    CROSS JOIN LATERAL (
      SELECT {body}, b.queue, b.partition FROM {schema}.body AS b WHERE b.queue = i.queue AND b.seq = i.seq AND b.id = i.id LIMIT 1
    ) AS b
  ) AS i
  WHERE s.queue = ANY (ARRAY[i.queue]) AND s.seq BETWEEN i.seq AND i.seq
    AND s.token = i.token AND s.epoch = i.seen_epoch AND s.flags & 35 = i.seen_flags
  RETURNING
    {item}, i.queue, i.partition, i.token, i.span, i.failures, i.stalls, i.result_type, i.result, s.revision, s.run_at, s.epoch, s.flags, s.claimed_at, s.failed_at, s.error_name, s.error_message, s.error_details, s.progress
),
{sends_held}to_finished AS (
  INSERT INTO {schema}.finished (
    seq, finished_at, purge_at, run_at, revision, epoch, failures, stalls, queue, state, flags, settled_event,
    settled_token, claimed_at, failed_at, error_name, error_message, error_details, progress, result_type, result
  )
  SELECT
    s.seq, t.now, CASE WHEN s.span >= 0 THEN t.now + s.span END, s.run_at, s.revision + 1, s.epoch, s.failures, s.stalls,
    s.queue, 3, (s.flags # ((s.flags & 32) * 3))::smallint, 0, s.token, s.claimed_at, s.failed_at, s.error_name, s.error_message, s.error_details, s.progress, s.result_type, s.result
  FROM held AS s CROSS JOIN t
),
counted AS (
  INSERT INTO {schema}.tally (queue, unfinished, completed) SELECT queue, -count(*), count(*) FROM held GROUP BY queue
),
told AS (
  SELECT count(pg_notify($12::text, $13::text || E'\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\t', 'j', queue, seq, revision + 1, 3, id), E'\n') AS lines
    FROM (
      SELECT row_number() OVER () / 20 AS part, s.* FROM held AS s
      WHERE s.flags & 2 <> 0
        OR s.queue = ANY (ARRAY(SELECT queue FROM {schema}.feed WHERE until > (SELECT now FROM t)))
    ) AS s
    GROUP BY part
    UNION ALL
    SELECT DISTINCT concat_ws(E'\t', 'w', queue) FROM held AS s WHERE s.partition IS NOT NULL{is_limited}
  ) AS parts
  WHERE $12::text IS NOT NULL
)
SELECT
  (SELECT sent FROM told){woken}, {stamp}, {item}, i.revision, i.run_at, i.epoch, i.error_name, i.error_message, i.progress, i.flags, i.claimed_at, i.failed_at,
  {gate_of_held}
FROM t LEFT JOIN held AS i ON true;
