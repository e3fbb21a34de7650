-- In: mark, queue. Out: now; whether anything came to gates of the queue that is not folded, or a
-- time-out has come.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  {stamp}, (SELECT target FROM {schema}.slip WHERE queue = $2 ORDER BY queue, target LIMIT 1) IS NOT NULL
    OR EXISTS (SELECT 1 FROM {schema}.ready WHERE queue = $2 AND priority = 2162688 AND seq > 0 AND run_at <= (SELECT now FROM t))
FROM t;
