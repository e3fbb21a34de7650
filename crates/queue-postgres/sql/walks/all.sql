walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, b.seq, 0::bigint AS at, 0::smallint AS priority
  FROM (SELECT seq FROM {schema}.body WHERE queue = $2 AND seq {ahead} $3 ORDER BY seq {turn} LIMIT $7 + 1) AS b
)
