-- A failing, failed or cancelled job that does not stand once among them at its time, or an entry
-- of another.
SELECT 'job ' || seq || ' stands ' || sum(entry) || ' times too often among failures in state ' || state
FROM (
  SELECT queue, state, at, seq, 1 AS entry FROM queue_failure
  UNION ALL
  SELECT queue, state, coalesce(finished_at, failed_at), seq, -1 FROM queue_life WHERE state IN (2, 4, 5)
)
GROUP BY queue, state, at, seq
HAVING sum(entry) <> 0;
