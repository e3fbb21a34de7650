-- In: queue, ids. Waits until nobody else is about to take the place of waiting jobs of these ids,
-- and keeps others waiting until the transaction ends. Of several that replace one job at once,
-- each has to see the life that the one before it began, and a statement that waited for its row
-- does not: it would be sent again and again while others go on. Whoever waits here first sees it
-- at once. The ids share few locks, since the server has few, and they are taken in one order.
-- Transactions of callers take none: others shall not wait for them but where they hold the very
-- job.
SELECT count(pg_advisory_xact_lock(turn))
FROM (
  SELECT DISTINCT hashtextextended({life}::text, $1::bigint * 64 + (hashtextextended(id, 0) & 63)) AS turn
  FROM unnest($2::text[]) AS i (id)
  ORDER BY turn
) AS turns;
