-- In: mark, queue, seq, scan, limit, states, worker, kind. Out: now, the last seq of the scan and how many it passed, and
-- the jobs of the scan that match, in the order of seq. The scan bounds the work of one page.
WITH t AS MATERIALIZED (SELECT {time}),
scan AS MATERIALIZED (SELECT seq FROM {schema}.body WHERE queue = $2 AND seq > $3 ORDER BY seq LIMIT $4),
bounds AS MATERIALIZED (SELECT max(seq) AS last, count(*) AS passed FROM scan)
SELECT bounds.last, bounds.passed, {stamp}, {job}
FROM t CROSS JOIN bounds LEFT JOIN (
  SELECT j.* FROM scan CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = scan.seq LIMIT 1) AS j
  WHERE (j.purge_at IS NULL OR j.purge_at > (SELECT now FROM t))
    AND (cardinality($6::smallint[]) = 0 OR j.state = ANY ($6::smallint[]))
    AND ($7::text IS NULL OR j.worker = $7::text)
    AND ($8::text IS NULL OR j.kind = $8::text)
  ORDER BY j.seq LIMIT $5
) AS j ON true
ORDER BY j.seq;
