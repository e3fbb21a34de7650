-- In: queue, ids. Locks the gates of these jobs until the commit, in the order of seq, so that no
-- fold opens one meanwhile. Out: which, and whether many slips wait at it: 64 or more.
WITH targets AS MATERIALIZED (
  SELECT b.seq FROM unnest($2::text[]) AS i (id) CROSS JOIN LATERAL (
    SELECT seq FROM {schema}.body WHERE queue = $1 AND id = i.id AND seq > 0 LIMIT 1
  ) AS b
  ORDER BY b.seq
)
SELECT
  g.seq, (SELECT s.target FROM {schema}.slip AS s WHERE s.queue = $1 AND s.target = g.seq LIMIT 1 OFFSET 63) IS NOT NULL
FROM targets AS i CROSS JOIN LATERAL (
  SELECT seq FROM {schema}.gate WHERE queue = $1 AND seq = i.seq LIMIT 1 FOR KEY SHARE
) AS g;
