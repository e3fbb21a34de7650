walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT seq, finished_at AS at FROM {schema}.finished
    WHERE queue = $2 AND state > 3 AND state = $8 AND (finished_at, seq) {ahead} ($4, $3)
      AND finished_at >= coalesce($14, -9223372036854775808) AND finished_at < coalesce($15, 9223372036854775807)
    ORDER BY finished_at {turn}, seq {turn} LIMIT $7 + 1
  ) AS s
)
