-- In: queue. Out: scope, partition, running, weight.
SELECT scope, partition, running, weight FROM {schema}.queue_limit WHERE queue = $1 ORDER BY scope, partition;
