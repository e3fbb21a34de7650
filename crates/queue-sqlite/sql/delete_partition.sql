-- In: queue, partition. It has no unfinished job and no limit of its own.
DELETE FROM queue_partition WHERE queue = ?1 AND partition = ?2;
