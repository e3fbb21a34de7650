lapse AS (
  SELECT min(expires_at) AS at FROM {schema}.lease
  WHERE $11 AND queue = $2 AND seq > 0
    AND deadline <= (SELECT expires_at FROM {schema}.lease WHERE queue = $2 AND seq > 0 ORDER BY deadline LIMIT 1)
),
feed AS (
  SELECT count(pg_notify($12::text, $13::text || E'\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\t', 'j', s.queue, s.seq, s.revision + 1, 1, b.id), E'\n') AS lines
    FROM (SELECT row_number() OVER (ORDER BY seq) / 20 AS part, taken.* FROM taken) AS s
    CROSS JOIN LATERAL (SELECT id FROM {schema}.body WHERE queue = $2 AND seq = s.seq LIMIT 1) AS b
    GROUP BY part
  ) AS parts
  WHERE $12::text IS NOT NULL AND EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM t))
)
