-- In: queue. Marks it as one that has partitions or limits, which `claim_in_turn` claims from. The
-- mark stays.
UPDATE {schema}.queue SET has_partitions = true WHERE queue = $1 AND NOT has_partitions;
