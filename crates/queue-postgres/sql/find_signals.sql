-- In: queue, lives. Out: the end signals of each, in their order.
SELECT e.seq, e.to_id, e.target, e.bits
FROM unnest($2::bigint[]) AS i (seq) CROSS JOIN LATERAL (
  SELECT seq, to_id, target, bits FROM {schema}.end_signal WHERE queue = $1 AND seq = i.seq ORDER BY queue, seq, n LIMIT 64
) AS e;
