-- In: queue; of each gate the life, needs, whether it is sealed, and the time-out, none if it is
-- open. The jobs were stored in this transaction. Moves them to the place of gated jobs.
WITH i AS MATERIALIZED (
  SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::bigint[]) AS i (seq, needs, is_sealed, run_at)
),
added AS (
  INSERT INTO {schema}.gate (queue, seq, needs, is_sealed, heeds_urgent, closed_at)
  SELECT $1, seq, needs, is_sealed, true, CASE WHEN run_at IS NOT NULL THEN 0 END FROM i
)
UPDATE {schema}.ready AS r SET priority = 2162688, run_at = i.run_at FROM i
WHERE i.run_at IS NOT NULL AND r.queue = ANY (ARRAY[$1 + (i.seq * 0)::integer]) AND r.seq BETWEEN i.seq AND i.seq;
