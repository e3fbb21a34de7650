-- In: floor, queue, ids. Out: position in the request, now, the job, and each attempt that was
-- charged to it, in no order; a job without an attempt has one row, and one row at least comes for
-- the time. Whatever the server believes of its tables, a job and its attempts are sought by their
-- keys.
WITH t AS MATERIALIZED (SELECT {time})
SELECT
  j.n, {stamp}, {job}, a.epoch, a.worker, a.claimed_at, a.ended_at, a.outcome, a.error_name, a.error_message
FROM t
LEFT JOIN (
  SELECT i.n, j.*
  FROM unnest($3::text[]) WITH ORDINALITY AS i (id, n)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.job WHERE queue = $2 AND id = i.id AND seq > 0 LIMIT 1) AS j
) AS j ON j.purge_at IS NULL OR j.purge_at > t.now
LEFT JOIN LATERAL (
  SELECT * FROM {schema}.attempt WHERE queue = $2 AND seq = j.seq AND j.flags & 8 <> 0 LIMIT 10
) AS a ON true;
