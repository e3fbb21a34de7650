-- In: floor, queue, token, seq of the last page's end, limit. Out: now, and what a claim leased and still holds, lapsed or
-- not, in the order of seq. Reads the leases of the queue: whoever asks missed an answer, which is seldom.
WITH t AS MATERIALIZED (SELECT {time})
SELECT 0::bigint, {stamp}, {job}
FROM t LEFT JOIN (
  SELECT j.*
  FROM (
    SELECT seq FROM {schema}.lease WHERE queue = $2 AND token = $3 AND seq > $4 ORDER BY seq LIMIT $5
  ) AS p
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = p.seq LIMIT 1) AS j
) AS j ON true
ORDER BY j.seq;
