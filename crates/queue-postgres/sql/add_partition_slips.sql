-- In: queue; partitions, or none for all with waiting jobs. A slip of each, for claims to look at.
-- Cost: one look for each partition.
WITH RECURSIVE keys AS (
  (SELECT partition FROM {schema}.ready WHERE queue = $1 AND partition IS NOT NULL ORDER BY partition LIMIT 1)
  UNION ALL
  SELECT (
    SELECT r.partition FROM {schema}.ready AS r WHERE r.queue = $1 AND r.partition > k.partition ORDER BY r.partition LIMIT 1
  )
  FROM keys AS k WHERE k.partition IS NOT NULL
)
INSERT INTO {schema}.partition_slip (queue, partition, look_at)
SELECT $1, k.partition, 0 FROM (
  SELECT partition FROM keys WHERE partition IS NOT NULL AND $2::text[] IS NULL
  UNION ALL
  SELECT partition FROM unnest($2::text[]) AS i (partition)
) AS k;
