
-- The limit in force of a partition, or of the jobs without one, whose key is '': its own, else
-- that of all. No row if it has none.
CREATE FUNCTION {schema}.limit_of(of_queue integer, key text)
RETURNS TABLE (running bigint, weight smallint, is_own boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT l.running, l.weight, l.is_own FROM (
    SELECT running, weight, true AS is_own FROM {schema}.queue_limit
    WHERE queue = of_queue AND scope = 2 AND partition = key
    UNION ALL
    SELECT running, weight, false FROM {schema}.queue_limit
    WHERE queue = of_queue AND scope = (CASE key WHEN '' THEN 1 ELSE 0 END)::smallint AND partition = ''
  ) AS l
  ORDER BY l.is_own DESC LIMIT 1
$$;
