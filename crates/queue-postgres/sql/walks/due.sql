-- One lane after the other, each from where the last page ended in it. Where the queue has lines,
-- gates or partitions, these are merged with the lanes: as many of each are read as the page may
-- step through.
walk AS MATERIALIZED (
  SELECT row_number() OVER () AS n, s.seq, s.at, s.priority
  FROM (
    SELECT r.*
    FROM (
      SELECT priority FROM {schema}.lane
      WHERE queue = $2 AND priority >= $5 AND NOT (SELECT has_lines OR has_gates OR has_partitions FROM {schema}.queue WHERE queue = $2)
      ORDER BY priority
    ) AS l
    CROSS JOIN LATERAL (
      SELECT r.seq, r.run_at AS at, l.priority::smallint FROM {schema}.ready AS r
      WHERE r.queue = $2 AND r.priority = l.priority AND r.seq > 0 AND r.run_at <= (SELECT now FROM t)
        AND (r.run_at, r.seq) > (
          CASE WHEN l.priority = $5 THEN $4 ELSE -9223372036854775808 END, CASE WHEN l.priority = $5 THEN $3 ELSE 0 END
        )
      ORDER BY r.run_at, r.seq LIMIT $7 + 1
    ) AS r
    UNION ALL
    (
      SELECT u.*
      FROM (
        SELECT r.*
        FROM {schema}.lane AS l CROSS JOIN LATERAL (
          SELECT r.seq, r.run_at AS at, l.priority::smallint FROM {schema}.ready AS r
          WHERE r.queue = $2 AND r.priority = l.priority AND r.seq > 0 AND r.run_at <= (SELECT now FROM t)
            AND (r.run_at, r.seq) > (
              CASE WHEN l.priority = $5 THEN $4 ELSE -9223372036854775808 END, CASE WHEN l.priority = $5 THEN $3 ELSE 0 END
            )
          ORDER BY r.run_at, r.seq LIMIT $7 + 1
        ) AS r
        WHERE l.queue = $2 AND l.priority >= $5 AND (SELECT has_lines OR has_gates OR has_partitions FROM {schema}.queue WHERE queue = $2)
        UNION ALL
        SELECT r.*
        FROM {schema}.line AS l CROSS JOIN LATERAL (
          SELECT r.seq, r.run_at AS at, (r.priority - l.line * 65536)::smallint AS priority FROM {schema}.ready AS r
          WHERE r.queue = $2 AND r.priority <= l.line * 65536 + 32767 AND r.seq > 0
            AND (r.priority, r.run_at, r.seq) > (l.line * 65536 + $5, $4, $3)
          ORDER BY r.priority, r.run_at, r.seq LIMIT $7 + 1
        ) AS r
        WHERE l.queue = $2
        UNION ALL
        SELECT r.*
        FROM {schema}.lane AS l CROSS JOIN LATERAL (
          SELECT r.seq, r.run_at AS at, l.priority::smallint FROM {schema}.ready AS r
          WHERE r.queue = $2 AND r.priority = l.priority + 2228224 AND r.seq > 0 AND r.run_at <= (SELECT now FROM t)
            AND (r.run_at, r.seq) > (
              CASE WHEN l.priority = $5 THEN $4 ELSE -9223372036854775808 END, CASE WHEN l.priority = $5 THEN $3 ELSE 0 END
            )
          ORDER BY r.run_at, r.seq LIMIT $7 + 1
        ) AS r
        WHERE l.queue = $2 AND l.priority >= $5 AND (SELECT has_partitions FROM {schema}.queue WHERE queue = $2)
        UNION ALL
        -- Those whose time-out has come and which no claim has met since.
        SELECT r.seq, r.run_at AS at, b.priority
        FROM {schema}.ready AS r CROSS JOIN LATERAL (
          SELECT priority FROM {schema}.body WHERE queue = $2 AND seq = r.seq LIMIT 1
        ) AS b
        WHERE r.queue = $2 AND r.priority = 2162688 AND r.seq > 0 AND r.run_at <= (SELECT now FROM t)
          AND (b.priority, r.run_at, r.seq) > ($5, $4, $3)
      ) AS u
      ORDER BY u.priority, u.at, u.seq LIMIT $7 + 1
    )
    LIMIT $7 + 1
  ) AS s
)
