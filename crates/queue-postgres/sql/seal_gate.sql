-- In: queue, seq. Seals a gate, and opens none.
UPDATE {schema}.gate SET is_sealed = true WHERE queue = $1 AND seq = $2;
