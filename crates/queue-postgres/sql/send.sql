-- In: queue, seq, and how the job ended, as a state; channel, origin. Out: nothing that matters.
-- Sends the end signals of a job that has ended in this transaction, after what followed it, and
-- removes those of one that is gone.
WITH sends AS MATERIALIZED (
  SELECT
    s.queue, coalesce(e.target, (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = s.queue AND b.id = e.to_id AND b.seq > 0 LIMIT 1)) AS target,
    e.bits & 4 <> 0 AS urgent, CASE WHEN e.bits & 2 <> 0 THEN 3 ELSE s.ended END AS state
  FROM (SELECT $1::integer AS queue, $2::bigint AS seq, $3::smallint AS ended) AS s CROSS JOIN LATERAL (
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
unsigned AS (
  DELETE FROM {schema}.end_signal AS a WHERE a.queue = $1 AND a.seq = $2
    AND (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = $1 AND b.seq = $2 LIMIT 1) IS NULL
),
woken AS (
  SELECT count(pg_notify($4::text, $5::text || E'\n' || concat_ws(E'\t', 'w', queue))) AS sent
  FROM (SELECT DISTINCT queue FROM sends) AS q
  WHERE $4::text IS NOT NULL
)
SELECT sent FROM woken;
