-- In: queue. Out: scope, partition, running and weight of its limits, in the order of the scopes.
SELECT scope, partition, running, weight FROM queue_limit WHERE queue = ?1 ORDER BY scope, partition;
