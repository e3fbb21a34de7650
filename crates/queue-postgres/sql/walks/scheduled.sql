-- The lanes merged: as many of each are read as the page may step through.
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, 0::smallint AS priority
  FROM (
    SELECT r.*
    FROM (
      SELECT queue, priority FROM {schema}.lane WHERE queue = $2
      UNION ALL
      SELECT l.queue, l.priority + 2228224 FROM {schema}.lane AS l JOIN {schema}.queue AS q ON q.queue = l.queue
      WHERE l.queue = $2 AND q.has_partitions
    ) AS l CROSS JOIN LATERAL (
      SELECT r.seq, r.run_at AS at FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.priority = l.priority AND r.seq > 0 AND r.run_at > (SELECT now FROM t)
        AND (r.run_at, r.seq) > ($4, $3)
      ORDER BY r.run_at, r.seq LIMIT $7 + 1
    ) AS r
    WHERE l.queue = $2 ORDER BY r.at, r.seq LIMIT $7 + 1
  ) AS s
)
