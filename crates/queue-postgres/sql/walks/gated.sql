walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT r.seq, r.run_at AS at FROM {schema}.ready AS r
    WHERE r.queue = $2 AND r.priority = 2162688 AND r.seq > 0 AND r.run_at > (SELECT now FROM t)
      AND (r.run_at, r.seq) > ($4, $3)
    ORDER BY r.run_at, r.seq LIMIT $7 + 1
  ) AS s
)
