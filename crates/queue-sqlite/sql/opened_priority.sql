-- In: queue, whether the fronts are limited, priority. Out: the next priority behind it at which
-- there are fronts.
SELECT front_priority
FROM queue_partition INDEXED BY queue_partition_front
WHERE queue = ?1 AND front_limited = ?2 AND front_priority > ?3
ORDER BY front_priority
LIMIT 1;
