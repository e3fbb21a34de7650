-- In: queue; of each end signal the life that sends it, its number there, the life and id that it
-- is to, and its bits. The jobs were stored in this transaction.
INSERT INTO {schema}.end_signal (queue, seq, n, target, to_id, bits)
SELECT $1, i.* FROM unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::smallint[]) AS i;
