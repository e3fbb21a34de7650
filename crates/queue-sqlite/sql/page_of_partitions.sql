-- In: queue, partition, limit. Out: the partitions behind that one and their counts, by the bytes
-- of their keys.
SELECT partition, leases, waiting FROM queue_partition WHERE queue = ?1 AND partition > ?2 ORDER BY partition LIMIT ?3;
