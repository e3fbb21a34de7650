-- In: mark, queue, most jobs. Moves jobs behind gates whose time-outs have come to where claims of
-- their priority meet them. Nothing else of them changes.
-- Out: now, how many.
WITH t AS MATERIALIZED (SELECT {time}),
late AS MATERIALIZED (
  SELECT seq FROM {schema}.ready
  WHERE queue = $2 AND priority = 2162688 AND run_at <= (SELECT now FROM t) AND seq > 0
  ORDER BY run_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED
),
moved AS (
  UPDATE {schema}.ready AS r SET priority = {schema}.place(b.priority, r.partition)
  FROM late AS l CROSS JOIN LATERAL (SELECT priority FROM {schema}.body WHERE queue = $2 AND seq = l.seq LIMIT 1) AS b
  WHERE r.queue = ANY (ARRAY[$2 + (l.seq * 0)::integer]) AND r.seq BETWEEN l.seq AND l.seq
  RETURNING r.seq
)
SELECT {stamp}, (SELECT count(*) FROM moved) FROM t;
