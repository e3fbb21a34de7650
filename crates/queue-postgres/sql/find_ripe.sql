-- In: queue, lives that were closed or sealed, lives that sent signals. Out: the gates among those
-- and the targets of these that a fold may open, or that many slips wait for. A sum of counts that
-- is negative here is beyond all needs.
SELECT g.seq
FROM (
  SELECT unnest($2::bigint[]) AS seq
  UNION
  SELECT coalesce(e.target, (SELECT b.seq FROM {schema}.body AS b WHERE b.queue = $1 AND b.id = e.to_id AND b.seq > 0 LIMIT 1))
  FROM unnest($3::bigint[]) AS s (seq) CROSS JOIN LATERAL (
    SELECT target, to_id FROM {schema}.end_signal WHERE queue = $1 AND seq = s.seq LIMIT 64
  ) AS e
) AS i
CROSS JOIN LATERAL (SELECT * FROM {schema}.gate WHERE queue = $1 AND seq = i.seq LIMIT 1) AS g
CROSS JOIN LATERAL (
  SELECT
    count(*) AS slips, coalesce(sum(raises), 0) AS raises, coalesce(sum(completed + failed + cancelled), 0) AS signals,
    bool_or(wakes OR seen IS NOT NULL) AS wakes
  FROM {schema}.slip WHERE queue = $1 AND target = i.seq
) AS p
WHERE p.slips >= 64 OR p.wakes OR (p.slips > 0 AND g.is_sealed AND (g.signals < 0 OR g.signals + p.signals >= g.needs + p.raises));
