-- In: queue, scope, partition.
DELETE FROM queue_limit WHERE queue = ?1 AND scope = ?2 AND partition = ?3;
