-- Counts the records anew, once, where a crash took the totals. In, out: nothing.
-- Guard: there are no totals, and nobody else counts: the second to come waits for the first, and
-- then does nothing. What is counted and which changes are deleted is of one snapshot, so what
-- others change meanwhile is left as changes (I20).
-- Cost: O(records), once after a crash.
WITH turn AS MATERIALIZED (INSERT INTO {schema}.total (queue) VALUES (0) ON CONFLICT (queue) DO NOTHING RETURNING queue),
gone AS (DELETE FROM {schema}.tally WHERE EXISTS (SELECT 1 FROM turn)),
counted AS MATERIALIZED (
  SELECT queue, state, count(*) AS jobs FROM (
    SELECT queue, state FROM {schema}.ready
    UNION ALL SELECT queue, 1::smallint FROM {schema}.lease
    UNION ALL SELECT queue, state FROM {schema}.finished
  ) AS s
  WHERE EXISTS (SELECT 1 FROM turn) GROUP BY queue, state
)
INSERT INTO {schema}.total (queue, unfinished, failing, completed, failed, cancelled)
SELECT
  q.queue, coalesce(sum(c.jobs) FILTER (WHERE c.state < 3), 0),
  coalesce(sum(c.jobs) FILTER (WHERE c.state = 2), 0), coalesce(sum(c.jobs) FILTER (WHERE c.state = 3), 0),
  coalesce(sum(c.jobs) FILTER (WHERE c.state = 4), 0), coalesce(sum(c.jobs) FILTER (WHERE c.state = 5), 0)
FROM {schema}.queue AS q LEFT JOIN counted AS c ON c.queue = q.queue
WHERE EXISTS (SELECT 1 FROM turn) GROUP BY q.queue
ON CONFLICT (queue) DO UPDATE SET
  unfinished = excluded.unfinished, failing = excluded.failing, completed = excluded.completed,
  failed = excluded.failed, cancelled = excluded.cancelled;
