ended AS (SELECT queue, seq, 3 AS state FROM held WHERE flags & 32 <> 0),
{sends}woken AS (
  SELECT count(pg_notify($12::text, $13::text || E'\n' || concat_ws(E'\t', 'w', queue))) AS sent
  FROM (SELECT DISTINCT queue FROM sends) AS q
  WHERE $12::text IS NOT NULL
),
