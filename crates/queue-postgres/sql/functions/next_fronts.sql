
-- The fronts whose turn it is, in the order of turns, with how many jobs each may give now, and
-- what these cost. The first front gives jobs until another has an earlier turn; several whose
-- turns are within one step of the first give one each. `stale` are partitions that stand under
-- another limit than they did, or have no slot: the caller looks at them first.
CREATE FUNCTION {schema}.next_fronts(
  of_queue integer, most bigint, most_limited bigint,
  OUT stale text[], OUT keys text[], OUT counts bigint[], OUT turns bigint[], OUT steps bigint[], OUT limiteds boolean[],
  OUT priority integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH ahead AS MATERIALIZED (
    SELECT
      f.*, row_number() OVER w AS n, lead(f.turn) OVER w AS next_turn, lead(f.priority) OVER w AS next_priority,
      first_value(f.priority) OVER w AS first_priority, first_value(f.turn) OVER w AS first_turn,
      m.running, 1000000 / coalesce(m.weight, 1) AS step
    FROM (
      SELECT x.* FROM (
        (SELECT partition, priority, turn, is_limited FROM {schema}.partition
         WHERE queue = of_queue AND NOT is_limited AND priority IS NOT NULL
         ORDER BY priority, turn, partition LIMIT most + 1)
        UNION ALL
        (SELECT partition, priority, turn, is_limited FROM {schema}.partition
         WHERE queue = of_queue AND is_limited AND priority IS NOT NULL AND most_limited > 0
         ORDER BY priority, turn, partition LIMIT least(most, most_limited) + 1)
      ) AS x
      ORDER BY x.priority, x.turn, x.partition LIMIT most + 1
    ) AS f
    LEFT JOIN LATERAL {schema}.limit_of(of_queue, f.partition) AS m ON true
    WINDOW w AS (ORDER BY f.priority, f.turn, f.partition ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  ),
  near AS MATERIALIZED (
    SELECT
      a.*, CASE WHEN running IS NOT NULL THEN running - (
        SELECT count(*) FROM (SELECT FROM {schema}.lease AS l WHERE l.queue = of_queue AND l.partition = a.partition LIMIT running) AS l
      ) END AS room
    FROM ahead AS a
    WHERE priority = first_priority AND (
      n = 1 OR turn < first_turn + (SELECT min(step) FROM ahead AS o WHERE o.priority = o.first_priority)
    )
  ),
  ranked AS MATERIALIZED (
    SELECT *, count(*) FILTER (WHERE is_limited) OVER (ORDER BY n) AS n_limited, count(*) OVER () AS members FROM near
  ),
  wanted AS MATERIALIZED (
    SELECT
      *, least(most, room, CASE WHEN is_limited THEN most_limited END, CASE
        WHEN members > 1 THEN 1
        WHEN next_priority = priority THEN greatest((next_turn - turn + step - 1) / step, 1)
      END) AS count
    FROM ranked WHERE NOT is_limited OR n_limited <= most_limited
    ORDER BY n LIMIT most
  )
  SELECT
    (SELECT array_agg(partition) FROM near WHERE room <= 0 OR is_limited <> (running IS NOT NULL)),
    array_agg(w.partition ORDER BY w.n), array_agg(w.count ORDER BY w.n),
    array_agg(w.turn ORDER BY w.n), array_agg(w.step ORDER BY w.n),
    array_agg(w.is_limited ORDER BY w.n), min(w.priority)::integer
  INTO stale, keys, counts, turns, steps, limiteds, priority FROM wanted AS w;
END
$$;
