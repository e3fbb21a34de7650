-- In: mark, queue, ids. Out: position in the request, now, and the job; one row without a job at
-- least, for the time.
WITH t AS MATERIALIZED (SELECT {time})
SELECT j.n, {stamp}, {job}
FROM t LEFT JOIN (
  SELECT i.n, j.*
  FROM unnest($3::text[]) WITH ORDINALITY AS i (id, n)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND id = i.id AND seq > 0 LIMIT 1) AS j
) AS j ON j.purge_at IS NULL OR j.purge_at > t.now;
