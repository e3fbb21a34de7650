-- In: mark, queue, expires_at and seq of the last page's end, limit. Out: now, and lapsed leases, the longest lapsed
-- first. The lapsed predicate. Leases whose heartbeats left the indexed deadline behind are moved on, so that the
-- index stays short; who is busy with one is not waited for.
WITH t AS MATERIALIZED (SELECT {time}),
late AS MATERIALIZED (
  SELECT seq, expires_at FROM {schema}.lease WHERE queue = $2 AND seq > 0 AND deadline <= (SELECT now FROM t)
),
stale AS MATERIALIZED (
  SELECT l.seq FROM (SELECT seq FROM late WHERE expires_at > (SELECT now FROM t) ORDER BY seq LIMIT 1000) AS p
  CROSS JOIN LATERAL (
    SELECT seq FROM {schema}.lease WHERE queue = $2 AND seq = p.seq LIMIT 1 FOR UPDATE SKIP LOCKED
  ) AS l
),
moved AS (
  UPDATE {schema}.lease AS l SET deadline = l.expires_at FROM stale AS p
  WHERE (l.queue, l.seq) BETWEEN ($2, p.seq) AND ($2, p.seq)
)
SELECT 0::bigint, {stamp}, {job}
FROM t LEFT JOIN (
  SELECT j.*
  FROM (
    SELECT seq FROM late
    WHERE expires_at <= (SELECT now FROM t) AND (expires_at, seq) > ($3::bigint, $4::bigint)
    ORDER BY expires_at, seq LIMIT $5
  ) AS p
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = p.seq LIMIT 1) AS j
) AS j ON true
ORDER BY j.expires_at, j.seq;
