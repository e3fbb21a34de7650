-- In: mark, queue. Out: as of `queues.sql`, one row without a name.
-- Cost: one total, the changes since they were folded, one look per priority, and the jobs that run
-- or are due later.
WITH t AS MATERIALIZED (SELECT {time}),
q AS MATERIALIZED (SELECT $2::integer AS queue),
d AS MATERIALIZED (
  SELECT
    sum(unfinished) AS unfinished, sum(failing) AS failing, sum(completed) AS completed, sum(failed) AS failed,
    sum(cancelled) AS cancelled, count(*) AS changes
  FROM {schema}.tally WHERE queue = $2
)
SELECT
  {stamp}, EXISTS (SELECT 1 FROM {schema}.total WHERE queue = 0), d.changes, NULL::text, false,
  {counted}, w.running, w.scheduled, w.oldest, w.gated
FROM t CROSS JOIN q CROSS JOIN d
LEFT JOIN LATERAL (SELECT * FROM {schema}.total WHERE queue = q.queue LIMIT 1) AS s ON true
LEFT JOIN LATERAL ({waits}) AS w ON true;
