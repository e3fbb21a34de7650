walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT seq, failed_at AS at FROM {schema}.ready
    WHERE queue = $2 AND state = 2 AND (failed_at, seq) {ahead} ($4, $3)
      AND failed_at >= coalesce($14, -9223372036854775808) AND failed_at < coalesce($15, 9223372036854775807)
    ORDER BY failed_at {turn}, seq {turn} LIMIT $7 + 1
  ) AS s
)
