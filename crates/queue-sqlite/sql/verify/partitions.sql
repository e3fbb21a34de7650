-- A partition that counts other leases or waiting jobs than it has (I25), that is kept for nothing,
-- or that is not there although it has a limit; and a queue that is wrong about having some.
SELECT 'partition ' || quote(partition) || ' of queue ' || queue || ' counts ' || sum(leases) || ' leases and '
  || sum(waiting) || ' waiting jobs too many'
FROM (
  SELECT queue, partition, leases, waiting FROM queue_partition
  UNION ALL
  SELECT job.queue, CAST(substr(job.terms, 1, instr(job.terms, x'00') - 1) AS TEXT),
    -(coalesce(life.state, 0) = 1), -(coalesce(life.state, 0) IN (0, 2))
  FROM queue_job AS job LEFT JOIN queue_life AS life ON life.seq = job.key & 0xffffffffff
  WHERE job.awaited & 4
)
GROUP BY queue, partition
HAVING sum(leases) <> 0 OR sum(waiting) <> 0
UNION ALL
SELECT 'partition ' || quote(partition) || ' of queue ' || queue || ' is kept for nothing' FROM queue_partition AS part
WHERE leases = 0 AND waiting = 0 AND NOT EXISTS (
  SELECT 1 FROM queue_limit AS own WHERE own.queue = part.queue AND own.scope = 2 AND own.partition = part.partition
)
UNION ALL
SELECT 'the limit of partition ' || quote(partition) || ' of queue ' || queue || ' has no partition' FROM queue_limit AS own
WHERE scope = 2 AND NOT EXISTS (
  SELECT 1 FROM queue_partition AS part WHERE part.queue = own.queue AND part.partition = own.partition
)
UNION ALL
SELECT 'queue ' || queue || ' has a limit that cannot be' FROM queue_limit
WHERE scope NOT BETWEEN 0 AND 2 OR (scope = 2) <> (partition <> '') OR weight NOT BETWEEN 1 AND 1000
  OR (scope = 1 AND running IS NOT NULL) OR running NOT BETWEEN 0 AND 4294967295
UNION ALL
SELECT 'queue ' || queue || ' is wrong about having partitions or limits' FROM queue_name
WHERE (marks & 4 <> 0) <> (
  EXISTS (SELECT 1 FROM queue_partition AS part WHERE part.queue = queue_name.queue)
  OR EXISTS (SELECT 1 FROM queue_limit WHERE queue_limit.queue = queue_name.queue)
)
UNION ALL
SELECT 'queue ' || queue || ' has turns without partitions' FROM queue_turn
WHERE queue NOT IN (SELECT queue FROM queue_name WHERE marks & 4);
