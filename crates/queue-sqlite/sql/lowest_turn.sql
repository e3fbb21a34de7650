-- In: queue, whether the fronts are limited, priority, turn, partition. Out: the lowest turn of the
-- fronts of that priority which stand behind that turn and partition.
SELECT turn
FROM queue_partition INDEXED BY queue_partition_front
WHERE queue = ?1 AND front_limited = ?2 AND front_priority = ?3 AND (turn, partition) > (?4, ?5)
ORDER BY turn, partition
LIMIT 1;
