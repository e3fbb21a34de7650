-- In: queue, lives. Out: the end signals of each, in their order.
SELECT seq, to_id, target, bits FROM {schema}.end_signal WHERE queue = $1 AND seq = ANY ($2::bigint[]) ORDER BY seq, n;
