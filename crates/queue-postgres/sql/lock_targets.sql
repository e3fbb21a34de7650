-- In: queue, ids. Locks the gates of these jobs until the commit, in the order of seq, so that no
-- fold opens one meanwhile. Out: which.
SELECT g.seq FROM {schema}.gate AS g
WHERE g.queue = $1 AND g.seq = ANY (ARRAY(
  SELECT b.seq FROM unnest($2::text[]) AS i (id) CROSS JOIN LATERAL (
    SELECT seq FROM {schema}.body WHERE queue = $1 AND id = i.id AND seq > 0 LIMIT 1
  ) AS b
))
ORDER BY g.seq FOR KEY SHARE;
