-- In: mark, where to begin, limit.
-- Out: now, whether there are totals, changes that were looked at, and of each queue name, the
-- number of its pause, how many are unfinished, failing of these, completed, failed, cancelled,
-- running, and due later, and the earliest due time of those due; the kinds that are or were
-- paused, and the numbers of their pauses. In no order; one row without a name if there is no
-- queue.
-- Cost: for each queue one total, one look per priority, and the jobs that run or are due later;
-- the changes since they were folded.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (
  SELECT queue, name, paused FROM {schema}.queue WHERE name >= $2::text ORDER BY name LIMIT $3
),
d AS MATERIALIZED (
  SELECT
    queue, sum(unfinished) AS unfinished, sum(failing) AS failing, sum(completed) AS completed, sum(failed) AS failed,
    sum(cancelled) AS cancelled, count(*) AS changes
  FROM {schema}.tally GROUP BY queue
)
SELECT
  {stamp}, EXISTS (SELECT 1 FROM {schema}.total WHERE queue = 0), (SELECT sum(changes)::bigint FROM d), q.name, q.paused,
  {counted}, w.running, w.scheduled, w.oldest, w.gated, {paused_kinds}
FROM t LEFT JOIN q ON true
LEFT JOIN LATERAL (SELECT * FROM {schema}.total WHERE queue = q.queue LIMIT 1) AS s ON true
LEFT JOIN d ON d.queue = q.queue
LEFT JOIN LATERAL ({waits}) AS w ON true;
