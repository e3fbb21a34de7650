-- In: floor, queue, ids, bytes. Out: position in the request, now, and the job; one row without a
-- job at least, for the time. Large parts end before the first job whose parts the answer has no
-- room for, and the first one always fits.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  j.n, {stamp}, {job}, CASE WHEN j.fits THEN j.error_details END, CASE WHEN j.fits THEN j.result_type END,
  CASE WHEN j.fits THEN j.result END, CASE WHEN j.fits THEN j.content_type END, CASE WHEN j.fits THEN j.payload END,
  j.headers
FROM t LEFT JOIN (
  SELECT x.*, sum(x.size) OVER w - first_value(greatest(x.size - $4::bigint, 0)) OVER w <= $4 AS fits
  FROM (
    SELECT
      i.n, j.*,
      octet_length(j.payload)::bigint + coalesce(octet_length(j.result), 0) + coalesce(octet_length(j.error_details), 0)
        AS size
    FROM unnest($3::text[]) WITH ORDINALITY AS i (id, n)
    CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND id = i.id AND seq > 0 LIMIT 1) AS j
    WHERE j.purge_at IS NULL OR j.purge_at > (SELECT now FROM t)
  ) AS x
  WINDOW w AS (ORDER BY x.n)
) AS j ON true;
