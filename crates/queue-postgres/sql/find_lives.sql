-- In: mark, queues, seqs, ids. Out: position in the request, now, and the job if that life of that
-- id is still there.
WITH t AS MATERIALIZED (SELECT {time})
SELECT i.n, {stamp}, {job}
FROM t CROSS JOIN unnest($2::integer[], $3::bigint[], $4::text[]) WITH ORDINALITY AS i (queue, seq, id, n)
LEFT JOIN LATERAL (
  SELECT * FROM {schema}.job WHERE queue = i.queue AND seq = i.seq AND id = i.id LIMIT 1
) AS j ON true;
