-- In: floor, queue, lives, the token of each. Out: position, now, and each of the lives that is
-- still leased under its token, with its large parts, in no order; one row without a job at least.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  j.n, {stamp}, {job}, j.error_details, j.result_type, j.result, j.content_type, j.payload, j.headers
FROM t LEFT JOIN (
  SELECT i.n, j.* FROM unnest($3::bigint[], $4::bytea[]) WITH ORDINALITY AS i (seq, token, n)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = i.seq LIMIT 1) AS j
  WHERE j.token = i.token
) AS j ON true;
