-- In: floor, queue, partition, limit, up to which number waiting jobs are counted. Out: now; the
-- partitions behind that one in the order of keys, each with its leases, how many of its jobs wait,
-- since when the first due one is due, the limit in force, and whether that is its own; one row
-- without a partition at least.
WITH RECURSIVE t AS MATERIALIZED (SELECT {time}),
keys AS (
  SELECT 0::bigint AS n, $3::text COLLATE "C" AS key
  UNION ALL
  SELECT k.n + 1, least(
    (SELECT r.partition FROM {schema}.ready AS r WHERE r.queue = $2 AND r.partition > k.key ORDER BY r.partition LIMIT 1),
    (SELECT l.partition FROM {schema}.lease AS l WHERE l.queue = $2 AND l.partition > k.key ORDER BY l.partition LIMIT 1),
    (SELECT o.partition FROM {schema}.queue_limit AS o
     WHERE o.queue = $2 AND o.scope = 2 AND o.partition > k.key ORDER BY o.partition LIMIT 1)
  )
  FROM keys AS k WHERE k.key IS NOT NULL AND k.n < $4
)
SELECT
  {stamp}, k.key, (SELECT count(*) FROM {schema}.lease AS l WHERE l.queue = $2 AND l.partition = k.key),
  (SELECT count(*) FROM (SELECT FROM {schema}.ready AS r WHERE r.queue = $2 AND r.partition = k.key LIMIT $5) AS r),
  (
    SELECT min(r.run_at) FROM (
      SELECT priority + 2228224 AS priority FROM {schema}.lane WHERE queue = $2 UNION ALL SELECT 2162688
    ) AS l
    CROSS JOIN LATERAL (
      SELECT r.run_at FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.partition = k.key AND r.priority = l.priority ORDER BY r.run_at, r.seq LIMIT 1
    ) AS r
    WHERE r.run_at <= (SELECT now FROM t)
  ),
  m.running, coalesce(m.weight, 1::smallint), coalesce(m.is_own, false)
FROM t
LEFT JOIN keys AS k ON k.n > 0 AND k.key IS NOT NULL
LEFT JOIN LATERAL {schema}.limit_of($2, k.key) AS m ON true;
