ended AS (
  SELECT queue, seq, CASE target WHEN 2 THEN 5 ELSE state END AS state FROM next WHERE sends AND target <> 0
),
{sends}woken AS (
  SELECT count(pg_notify($23::text, $24::text || E'\n' || concat_ws(E'\t', 'w', queue))) AS sent
  FROM (SELECT DISTINCT queue FROM sends) AS q
  WHERE $23::text IS NOT NULL
),
