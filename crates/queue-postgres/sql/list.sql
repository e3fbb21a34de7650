-- In: floor, queue; seq, time and priority of the place behind which the page begins; jobs it shows
-- at most, jobs it steps through at most; state of the walk, if it is of one; states, worker, kind,
-- tag, beginning of the id, and between which times jobs came into their state, as far as they are
-- asked for; token, where the walk is of one; partition, if it is asked for.
-- Out: how many jobs were stepped through, whether there are more, the place of the last of them
-- where the page is not full; now, and each job that is shown with its position in the walk, in no
-- order; one row without a job at least.
-- Cost: a walk is read no further than the page needs, one entry more than it steps through, and
-- each of its jobs is looked up by its key. So nothing here may sort or count `walk` where the page
-- is full.
WITH t AS MATERIALIZED (SELECT {time}),
{walk},
found AS MATERIALIZED (
  SELECT w.n, j.*
  FROM (SELECT * FROM walk LIMIT $7) AS w
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = w.seq LIMIT 1) AS j
  WHERE (j.purge_at IS NULL OR j.purge_at > (SELECT now FROM t))
    AND ($8::smallint IS NULL OR j.state = $8)
    AND (cardinality($9::smallint[]) = 0 OR j.state = ANY ($9))
    AND ($10::text IS NULL OR j.worker = $10)
    AND ($11::text IS NULL OR j.kind = $11)
    AND ($12::text IS NULL OR $12 = ANY (string_to_array(j.tags, E'\n')))
    AND ($13::text IS NULL OR starts_with(j.id, $13))
    AND ($18::text IS NULL OR j.partition = $18)
    AND ($14::bigint IS NULL OR {entered_at} >= $14 AND {entered_at} < $15)
  LIMIT $6
),
stepped AS MATERIALIZED (
  SELECT
    CASE WHEN (SELECT count(*) FROM found) < $6 THEN (SELECT count(*) FROM (SELECT FROM walk LIMIT $7) AS w)
      ELSE (SELECT coalesce(max(n), 0) FROM found) END AS n
),
-- Apart, since the server would look for more once for each job of the page.
looked AS MATERIALIZED (SELECT s.n, EXISTS (SELECT FROM walk AS w WHERE w.n > s.n) AS has_more FROM stepped AS s)
SELECT
  looked.n, looked.has_more, w.seq, w.at, w.priority, {stamp}, j.n, {job}
FROM t CROSS JOIN looked
LEFT JOIN LATERAL (SELECT * FROM walk WHERE n = looked.n AND looked.n = $7 LIMIT 1) AS w ON true
LEFT JOIN found AS j ON true;
