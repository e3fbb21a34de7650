-- The lapsed predicate. Leases whose heartbeats left the indexed deadline behind are moved on, so
-- that the index stays short; who is busy with one is not waited for.
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
  WHERE l.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND l.seq BETWEEN p.seq AND p.seq
),
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT seq, expires_at AS at FROM late
    WHERE expires_at <= (SELECT now FROM t) AND (expires_at, seq) {ahead} ($4, $3)
    ORDER BY expires_at, seq LIMIT $7 + 1
  ) AS s
)
