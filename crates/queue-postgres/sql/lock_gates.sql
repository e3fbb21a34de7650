-- In: mark, queue, most gates, lives or none for all. Locks gates that slips wait for, and the rows
-- of their jobs if these wait, in the order of seq and without waiting.
-- Out: now; of each gate that was looked at the life; whether it is there, and locked; whether its
-- job waits, and is locked.
WITH RECURSIVE t AS MATERIALIZED (SELECT {time}),
targets AS (
  (SELECT target FROM {schema}.slip WHERE queue = $2 ORDER BY queue, target LIMIT 1)
  UNION ALL
  SELECT (SELECT s.target FROM {schema}.slip AS s WHERE s.queue = $2 AND s.target > x.target ORDER BY s.queue, s.target LIMIT 1)
  FROM targets AS x WHERE x.target IS NOT NULL
),
wanted AS MATERIALIZED (
  SELECT target FROM (
    SELECT target FROM targets WHERE $4::bigint[] IS NULL AND target IS NOT NULL
    UNION ALL
    SELECT DISTINCT i.target FROM unnest($4::bigint[]) AS i (target)
  ) AS x
  ORDER BY target LIMIT $3
)
SELECT
  {stamp}, x.target, EXISTS (SELECT 1 FROM {schema}.gate WHERE queue = $2 AND seq = x.target), g.seq IS NOT NULL,
  EXISTS (SELECT 1 FROM {schema}.ready WHERE queue = $2 AND seq = x.target), r.seq IS NOT NULL
FROM t LEFT JOIN wanted AS x ON true
LEFT JOIN LATERAL (
  SELECT seq FROM {schema}.gate WHERE queue = $2 AND seq = x.target FOR UPDATE SKIP LOCKED
) AS g ON true
LEFT JOIN LATERAL (
  SELECT seq FROM {schema}.ready WHERE queue = $2 AND seq = g.seq FOR UPDATE SKIP LOCKED
) AS r ON true;
