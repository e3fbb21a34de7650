-- In: queue, scope, partition, running, weight.
INSERT INTO queue_limit (queue, scope, partition, running, weight) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (queue, scope, partition) DO UPDATE SET running = excluded.running, weight = excluded.weight;
