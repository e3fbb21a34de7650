-- In: mark, queue, ids. Out: now, and for each id in the order of the request the life that holds
-- it, if one does.
WITH t AS MATERIALIZED (SELECT {time})
SELECT {stamp}, b.seq
FROM t CROSS JOIN unnest($3::text[]) WITH ORDINALITY AS i (id, n)
LEFT JOIN LATERAL (
  SELECT seq FROM {schema}.body AS b WHERE b.queue = $2 AND b.id = i.id AND b.seq > 0 LIMIT 1
) AS b ON true
ORDER BY i.n;
