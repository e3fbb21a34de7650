-- Looks at all leases of the queue: whoever asks missed an answer, which is seldom.
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, 0::bigint AS at, 0::smallint AS priority
  FROM (
    SELECT seq FROM {schema}.lease WHERE queue = $2 AND token = $17 AND seq {ahead} $3 ORDER BY seq LIMIT $7 + 1
  ) AS s
)
