-- In: queue, how many leases each partition may have, whether that is a limit. The fronts of all
-- partitions without a limit of their own, under a new limit of each: a partition that stays open
-- keeps its turn, and one that opens has none yet. The one statement that walks through all
-- partitions of a queue.
UPDATE queue_partition SET
  front_priority = iif(leases < ?2, (
    SELECT priority FROM queue_partition_ready AS ready
    WHERE ready.queue = queue_partition.queue AND ready.partition = queue_partition.partition
    ORDER BY ready.priority
    LIMIT 1
  ), NULL),
  front_limited = iif(leases < ?2 AND EXISTS (
    SELECT 1 FROM queue_partition_ready AS ready
    WHERE ready.queue = queue_partition.queue AND ready.partition = queue_partition.partition
  ), ?3, NULL),
  turn = iif(leases < ?2, turn, NULL)
WHERE queue = ?1 AND NOT EXISTS (
  SELECT 1 FROM queue_limit AS own
  WHERE own.queue = queue_partition.queue AND own.scope = 2 AND own.partition = queue_partition.partition
);
