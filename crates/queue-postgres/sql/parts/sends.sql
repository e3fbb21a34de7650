sends AS MATERIALIZED (
  SELECT
    s.queue, coalesce(e.target, (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = s.queue AND b.id = e.to_id AND b.seq > 0 LIMIT 1)) AS target,
    e.bits & 4 <> 0 AS urgent, CASE WHEN e.bits & 2 <> 0 THEN 3 ELSE s.state END AS state
  FROM ended AS s CROSS JOIN LATERAL (
    SELECT target, to_id, bits FROM {schema}.end_signal WHERE queue = s.queue AND seq = s.seq LIMIT 64
  ) AS e
),
slipped AS (
  INSERT INTO {schema}.slip (queue, target, completed, failed, cancelled, wakes)
  SELECT
    queue, target, count(*) FILTER (WHERE state = 3), count(*) FILTER (WHERE state = 4), count(*) FILTER (WHERE state = 5),
    bool_or(urgent AND state <> 3)
  FROM sends AS s
  WHERE target IS NOT NULL
    AND (SELECT f.seq FROM {schema}.finished AS f WHERE f.queue = s.queue AND f.seq = s.target LIMIT 1) IS NULL
  GROUP BY queue, target
),
