-- In: queue; places of slips; of each gate the life and counts; of each opened one the life and due
-- time; of each that keeps an urgent signal the life, whether it wakes, and what was seen; channel,
-- origin. All rows are locked. Takes the slips, and opens gates.
WITH taken AS (DELETE FROM {schema}.slip WHERE ctid = ANY ($2::text[]::tid[])),
opened AS MATERIALIZED (
  SELECT i.*, b.priority, b.id FROM unnest($9::bigint[], $10::bigint[]) AS i (seq, run_at)
  CROSS JOIN LATERAL (SELECT priority, id FROM {schema}.body WHERE queue = $1 AND seq = i.seq LIMIT 1) AS b
),
counted AS (
  UPDATE {schema}.gate AS g SET
    needs = i.needs, signals = i.signals, completed = i.completed, failed = i.failed, cancelled = i.cancelled,
    closed_at = CASE WHEN i.seq IN (SELECT seq FROM opened) THEN NULL ELSE g.closed_at END
  FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    AS i (seq, needs, signals, completed, failed, cancelled)
  WHERE g.queue = ANY (ARRAY[$1 + (i.seq * 0)::integer]) AND g.seq BETWEEN i.seq AND i.seq
),
due AS (
  UPDATE {schema}.ready AS r SET priority = {schema}.place(o.priority, r.partition), run_at = o.run_at, revision = r.revision + 1
  FROM opened AS o WHERE r.queue = ANY (ARRAY[$1 + (o.seq * 0)::integer]) AND r.seq BETWEEN o.seq AND o.seq
  RETURNING r.seq, r.revision, r.state, r.flags, o.id
),
kept AS (
  INSERT INTO {schema}.slip (queue, target, wakes, seen)
  SELECT $1, i.* FROM unnest($11::bigint[], $12::boolean[], $13::bigint[]) AS i
)
SELECT count(pg_notify($14::text, $15::text || E'\n' || lines))
FROM (
  SELECT concat_ws(E'\t', 'w', $1) AS lines WHERE EXISTS (SELECT 1 FROM due)
  UNION ALL
  SELECT concat_ws(E'\t', 'j', $1, seq, revision, state, id) FROM due
) AS parts
WHERE $14::text IS NOT NULL;
