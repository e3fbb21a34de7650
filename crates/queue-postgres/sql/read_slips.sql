-- In: mark, queue, lives, most slips of each. Out: position, now, the job; then of its slips how
-- many were read, their sums, whether one wakes, the most that a suspend has seen, where they are,
-- and whether there are more.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  i.n, {stamp}, {job}, p.raises, p.completed, p.failed, p.cancelled, p.wakes, p.seen, p.places, p.slips > $4
FROM t CROSS JOIN unnest($3::bigint[]) WITH ORDINALITY AS i (seq, n)
LEFT JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND seq = i.seq LIMIT 1) AS j ON true
CROSS JOIN LATERAL (
  SELECT
    count(*) AS slips, coalesce(sum(raises) FILTER (WHERE k <= $4), 0)::bigint AS raises,
    coalesce(sum(completed) FILTER (WHERE k <= $4), 0)::bigint AS completed,
    coalesce(sum(failed) FILTER (WHERE k <= $4), 0)::bigint AS failed,
    coalesce(sum(cancelled) FILTER (WHERE k <= $4), 0)::bigint AS cancelled,
    coalesce(bool_or(wakes) FILTER (WHERE k <= $4), false) AS wakes, max(seen) FILTER (WHERE k <= $4) AS seen,
    coalesce(array_agg(place) FILTER (WHERE k <= $4), ARRAY[]::text[]) AS places
  FROM (
    SELECT s.*, s.ctid::text AS place, row_number() OVER () AS k
    FROM (SELECT ctid, * FROM {schema}.slip WHERE queue = $2 AND target = i.seq LIMIT $4 + 1) AS s
  ) AS s
) AS p;
