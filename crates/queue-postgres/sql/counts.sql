-- In: mark, queue. Out: now, state, jobs, of them scheduled, the earliest due time of those due. Index scans of one queue.
WITH t AS MATERIALIZED (SELECT {time})
SELECT {stamp}, c.state, c.jobs, c.scheduled, c.oldest
FROM t LEFT JOIN (
  SELECT state, count(*) AS jobs, count(*) FILTER (WHERE run_at > (SELECT now FROM t)) AS scheduled,
    min(run_at) FILTER (WHERE run_at <= (SELECT now FROM t)) AS oldest
  FROM {schema}.ready WHERE queue = $2 GROUP BY state
  UNION ALL
  SELECT 1::smallint, count(*), 0, NULL FROM {schema}.lease WHERE queue = $2
  UNION ALL
  SELECT state, count(*), 0, NULL FROM {schema}.finished WHERE queue = $2 GROUP BY state
) AS c ON true;
