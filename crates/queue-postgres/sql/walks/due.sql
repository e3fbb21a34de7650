-- One lane after the other, each from where the last page ended in it.
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, s.priority
  FROM (
    SELECT r.*
    FROM (SELECT priority FROM {schema}.lane WHERE queue = $2 AND priority >= $5 ORDER BY priority) AS l
    CROSS JOIN LATERAL (
      SELECT r.seq, r.run_at AS at, r.priority FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.priority = l.priority AND r.seq > 0 AND r.run_at <= (SELECT now FROM t)
        AND (r.run_at, r.seq) > (
          CASE WHEN l.priority = $5 THEN $4 ELSE -9223372036854775808 END, CASE WHEN l.priority = $5 THEN $3 ELSE 0 END
        )
      ORDER BY r.run_at, r.seq LIMIT $7 + 1
    ) AS r
    LIMIT $7 + 1
  ) AS s
)
