-- In: queue, scopes, partitions, running, weights.
INSERT INTO {schema}.queue_limit (queue, scope, partition, running, weight)
SELECT $1, i.* FROM unnest($2::smallint[], $3::text[], $4::bigint[], $5::smallint[]) AS i (scope, partition, running, weight)
ORDER BY scope, partition
ON CONFLICT (queue, scope, partition) DO UPDATE SET running = excluded.running, weight = excluded.weight;
