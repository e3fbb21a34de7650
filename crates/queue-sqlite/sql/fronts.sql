-- In: queue, whether they are limited, then priority, turn and partition of a place, limit. Out:
-- priority, turn and partition of the fronts behind it, the one whose job is next first. The index
-- has all of it, and no full partition.
SELECT front_priority, turn, partition
FROM queue_partition INDEXED BY queue_partition_front
WHERE queue = ?1 AND front_limited = ?2 AND front_priority IS NOT NULL AND (front_priority, turn, partition) > (?3, ?4, ?5)
ORDER BY front_priority, turn, partition
LIMIT ?6;
