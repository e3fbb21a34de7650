-- In: queue, partition, its scope, the scope that counts if that has none. Out: scope, running and
-- weight of the limits that hold, of which the one with the higher scope counts.
SELECT scope, running, weight FROM queue_limit WHERE queue = ?1 AND scope = ?3 AND partition = ?2
UNION ALL
SELECT scope, running, weight FROM queue_limit WHERE queue = ?1 AND scope = ?4 AND partition = '';
