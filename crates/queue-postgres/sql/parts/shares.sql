-- Several claims: the limit is that of all together, and the lease the shortest; `$5` and `$6` are
-- the token and worker of each, and `$14` four numbers for each: its limit, lease and bytes, and
-- until when its sender listens. Each job goes to the claim that would get it if they came one
-- after the other. Where one has no room for the next job, nothing behind that is taken, and the
-- claims behind it were not begun. A late one takes nothing.
asks AS MATERIALIZED (
  SELECT n, token, worker, lease, bytes, (sum(most) OVER (ORDER BY n) - most)::bigint AS before, most
  FROM (
    SELECT
      a.*, ($14::bigint[])[n * 4 - 2] AS lease, ($14::bigint[])[n * 4 - 1] AS bytes,
      CASE WHEN (SELECT now FROM t) > ($14::bigint[])[n * 4] THEN 0 ELSE ($14::bigint[])[n * 4 - 3] END AS most
    FROM unnest($5::bytea[], $6::text[]) WITH ORDINALITY AS a (token, worker, n)
  ) AS a
),
bounds AS MATERIALIZED (SELECT array_agg(before ORDER BY n) || sum(most)::bigint AS bounds FROM asks),
shares AS MATERIALIZED (
  SELECT
    p.nth, p.seq, a.n, a.token, a.worker, a.lease,
    sum(p.size) OVER w - first_value(greatest(p.size - a.bytes, 0)) OVER w > a.bytes AS is_over
  FROM (SELECT row_number() OVER (ORDER BY priority, run_at, seq) AS nth, seq, size FROM picked) AS p
  JOIN asks AS a ON a.n = width_bucket(p.nth - 1, (SELECT bounds FROM bounds))
  WINDOW w AS (PARTITION BY a.n ORDER BY p.nth)
),
room AS MATERIALIZED (
  SELECT * FROM shares WHERE nth < (SELECT coalesce(min(nth), 9223372036854775807) FROM shares WHERE is_over)
),
