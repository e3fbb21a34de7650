-- No index has this order: it looks at all leases of the queue, which are as many as workers have
-- slots.
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT seq, claimed_at AS at FROM {schema}.lease
    WHERE queue = $2 AND (claimed_at, seq) {ahead} ($4, $3) AND claimed_at >= coalesce($14, claimed_at)
      AND ($15::bigint IS NULL OR claimed_at < $15)
    ORDER BY claimed_at {turn}, seq {turn} LIMIT $7 + 1
  ) AS s
)
