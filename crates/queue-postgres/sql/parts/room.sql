room AS MATERIALIZED (
  SELECT p.seq
  FROM (
    SELECT seq, sum(size) OVER w - first_value(greatest(size - $14::bigint, 0)) OVER w AS total
    FROM picked WINDOW w AS (ORDER BY priority, run_at, seq)
  ) AS p
  WHERE p.total <= $14
),
