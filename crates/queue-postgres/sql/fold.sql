-- Adds the changes of counters to their totals. In, out: nothing.
-- Guard: one at a time, and only where there are totals; whoever finds another at it does nothing.
-- Each change is added once, by the statement that deleted it, and no snapshot sees it in both
-- places, or in neither (I20). Nobody waits for this but another fold.
WITH turn AS MATERIALIZED (SELECT queue FROM {schema}.total WHERE queue = 0 FOR UPDATE SKIP LOCKED),
gone AS (
  DELETE FROM {schema}.tally WHERE EXISTS (SELECT 1 FROM turn) RETURNING *
)
INSERT INTO {schema}.total AS s (queue, unfinished, failing, completed, failed, cancelled)
SELECT queue, sum(unfinished), sum(failing), sum(completed), sum(failed), sum(cancelled)
FROM gone GROUP BY queue
ON CONFLICT (queue) DO UPDATE SET
  unfinished = s.unfinished + excluded.unfinished, failing = s.failing + excluded.failing,
  completed = s.completed + excluded.completed, failed = s.failed + excluded.failed, cancelled = s.cancelled + excluded.cancelled;
