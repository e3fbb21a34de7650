-- In: queue, scopes, partitions.
DELETE FROM {schema}.queue_limit AS l USING unnest($2::smallint[], $3::text[]) AS i (scope, partition)
WHERE l.queue = $1 AND l.scope = i.scope AND l.partition = i.partition;
