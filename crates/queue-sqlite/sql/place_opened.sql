-- In: queue, whether the fronts are limited, priority, turn. Partitions that refresh_partitions has
-- opened at this priority get this turn.
UPDATE queue_partition INDEXED BY queue_partition_front SET turn = ?4
WHERE queue = ?1 AND front_limited = ?2 AND front_priority = ?3 AND turn IS NULL;
