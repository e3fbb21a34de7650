-- In: queue, seq, needs or none, seals, heeds urgent, epoch. Closes the gate of a job that
-- suspends, and gives it one if it has none. A new number of needs is that of all, so it takes the
-- place of raises that were not folded yet; others cannot be folded while the gate is locked.
WITH closed AS (
  INSERT INTO {schema}.gate AS g (queue, seq, needs, is_sealed, heeds_urgent, closed_at)
  VALUES ($1, $2, coalesce($3::bigint, 0), $4, $5, $6)
  ON CONFLICT (queue, seq) DO UPDATE SET
    needs = coalesce($3::bigint, g.needs), is_sealed = g.is_sealed OR $4, heeds_urgent = $5, closed_at = $6
  RETURNING g.seq
)
UPDATE {schema}.slip AS s SET raises = 0 FROM closed
WHERE $3::bigint IS NOT NULL AND s.queue = $1 AND s.target = $2 AND s.raises <> 0;
