-- In: queue, partition. Out: its counts and its front.
SELECT leases, waiting, front_priority, front_limited, turn FROM queue_partition WHERE queue = ?1 AND partition = ?2;
