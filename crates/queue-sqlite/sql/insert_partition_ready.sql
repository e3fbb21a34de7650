-- In: queue, partition, priority, run_at, seq. A due job takes its place in its partition.
INSERT INTO queue_partition_ready (queue, partition, priority, run_at, seq) VALUES (?1, ?2, ?3, ?4, ?5);
