-- In: mark, where to begin, limit, or the queue that alone is asked for. Out: as of `queues.sql`.
-- For servers in recovery, which have no counters to be read. Cost: O(records).
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (
  SELECT $4::integer AS queue, NULL::text AS name, 0::bigint AS paused WHERE $4 IS NOT NULL
  UNION ALL
  (SELECT queue, name, paused FROM {schema}.queue WHERE $4 IS NULL AND name >= $2::text ORDER BY name LIMIT $3)
)
SELECT
  {stamp}, true, 0::bigint, q.name, q.paused, s.waiting + w.running, s.failing, s.completed, s.failed, s.cancelled, w.running,
  w.scheduled, w.oldest, w.gated, {paused_kinds}
FROM t LEFT JOIN q ON true
LEFT JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE state < 3) AS waiting, count(*) FILTER (WHERE state = 2) AS failing,
    count(*) FILTER (WHERE state = 3) AS completed, count(*) FILTER (WHERE state = 4) AS failed,
    count(*) FILTER (WHERE state = 5) AS cancelled
  FROM (
    SELECT state FROM {schema}.ready WHERE queue = q.queue UNION ALL SELECT state FROM {schema}.finished WHERE queue = q.queue
  ) AS r
) AS s ON true
LEFT JOIN LATERAL ({waits}) AS w ON true;
