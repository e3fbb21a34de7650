
-- Keeps other claims in turn, and changes of limits, out of a queue until the transaction ends.
CREATE FUNCTION {schema}.lock_turns(of_queue integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(q.tableoid::integer, q.queue) FROM {schema}.queue AS q WHERE q.queue = of_queue;
END
$$;

-- Writes down where partitions stand: by the priority of the first due job, if a slot is free for
-- it, and by the turn, which is the given one where the priority is as before. '' stands for the
-- jobs without a partition. Of partitions whose due jobs are held by transactions, it is the first
-- due job behind the given priority; the next claim looks at them again. The caller holds the lock
-- of the turns. Leases are counted under that lock and in a statement of its own, whose snapshot is
-- later than the lock (I25).
-- Cost: of each, one look for each priority of the queue, and as many leases as its limit has
-- slots.
CREATE FUNCTION {schema}.look_at_partitions(
  of_queue integer, keys text[], turns bigint[], present bigint, now bigint, held_keys text[], held_priorities integer[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH seen AS MATERIALIZED (
    SELECT
      k.key, k.turn AS moved, p.priority AS former, p.turn,
      m.running, coalesce(m.weight, 1) AS weight,
      coalesce(d.priority, f.priority)::smallint AS priority, least(d.wake_at, f.wake_at) AS wake_at
    FROM (
      SELECT DISTINCT ON (key) key, turn, coalesce(
        (SELECT max(h.priority) FROM unnest(held_keys, held_priorities) AS h (key, priority) WHERE h.key = k.key), -32769
      ) AS held
      FROM unnest(keys, turns) AS k (key, turn) ORDER BY key
    ) AS k
    LEFT JOIN LATERAL (
      SELECT priority, turn FROM {schema}.partition WHERE queue = of_queue AND partition = k.key LIMIT 1
    ) AS p ON true
    LEFT JOIN LATERAL {schema}.limit_of(of_queue, k.key) AS m ON true
    LEFT JOIN LATERAL (
      SELECT
        min(l.priority) FILTER (WHERE r.run_at <= now AND l.priority > k.held) AS priority,
        min(CASE WHEN r.run_at <= now AND l.priority <= k.held THEN now ELSE w.run_at END) AS wake_at
      FROM {schema}.lane AS l
      LEFT JOIN LATERAL (
        SELECT r.run_at FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.partition = k.key AND r.priority = l.priority + 2228224
        ORDER BY r.run_at, r.seq LIMIT 1
      ) AS r ON true
      LEFT JOIN LATERAL (
        SELECT r.run_at FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.partition = k.key AND r.priority = l.priority + 2228224 AND r.run_at > now
        ORDER BY r.run_at, r.seq LIMIT 1
      ) AS w ON true
      WHERE l.queue = of_queue AND k.key <> ''
    ) AS d ON true
    LEFT JOIN LATERAL (
      SELECT
        min(l.priority) FILTER (WHERE r.run_at <= now AND l.priority > k.held) AS priority,
        min(CASE WHEN r.run_at <= now AND l.priority <= k.held THEN now ELSE w.run_at END) AS wake_at
      FROM {schema}.lane AS l
      LEFT JOIN LATERAL (
        SELECT r.run_at FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.priority = l.priority AND r.seq > 0
        ORDER BY r.run_at, r.seq LIMIT 1
      ) AS r ON true
      LEFT JOIN LATERAL (
        SELECT r.run_at FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.priority = l.priority AND r.seq > 0 AND r.run_at > now
        ORDER BY r.run_at, r.seq LIMIT 1
      ) AS w ON true
      WHERE l.queue = of_queue AND k.key = ''
    ) AS f ON true
  ),
  open AS MATERIALIZED (
    SELECT
      s.*, s.running IS NULL OR s.running > (
        SELECT count(*) FROM (
          SELECT FROM {schema}.lease AS l WHERE l.queue = of_queue AND l.partition = s.key LIMIT s.running
        ) AS l
      ) AS has_room
    FROM seen AS s
  ),
  placed AS MATERIALIZED (
    SELECT
      o.key, CASE WHEN o.has_room THEN o.priority END AS priority, CASE WHEN o.has_room THEN o.wake_at END AS wake_at,
      o.running IS NOT NULL AS is_limited,
      CASE
        WHEN NOT o.has_room OR o.priority IS NULL THEN coalesce(o.turn, 0)
        WHEN o.priority = o.former THEN coalesce(o.moved, o.turn)
        ELSE 1000000 / o.weight + (
          SELECT greatest(least(present, b.lowest), b.lowest - 1000000, 0)
          FROM (
            SELECT least(
              (SELECT p.turn FROM {schema}.partition AS p
               WHERE p.queue = of_queue AND NOT p.is_limited AND p.priority = o.priority ORDER BY p.turn LIMIT 1),
              (SELECT p.turn FROM {schema}.partition AS p
               WHERE p.queue = of_queue AND p.is_limited AND p.priority = o.priority ORDER BY p.turn LIMIT 1)
            ) AS lowest OFFSET 0
          ) AS b
        )
      END AS turn
    FROM open AS o
  ),
  closed AS (
    DELETE FROM {schema}.partition WHERE ctid = ANY (ARRAY(
      SELECT p.place FROM placed AS c CROSS JOIN LATERAL (
        SELECT ctid AS place FROM {schema}.partition WHERE queue = of_queue AND partition = c.key LIMIT 1
      ) AS p
      WHERE c.priority IS NULL AND c.wake_at IS NULL
    ))
  )
  INSERT INTO {schema}.partition AS p (queue, partition, priority, is_limited, wake_at, turn)
  SELECT of_queue, key, priority, is_limited, wake_at, turn FROM placed
  WHERE priority IS NOT NULL OR wake_at IS NOT NULL
  ORDER BY key
  ON CONFLICT (queue, partition) DO UPDATE SET
    priority = excluded.priority, is_limited = excluded.is_limited, wake_at = excluded.wake_at, turn = excluded.turn
  WHERE (p.priority, p.is_limited, p.wake_at, p.turn)
    IS DISTINCT FROM (excluded.priority, excluded.is_limited, excluded.wake_at, excluded.turn);
END
$$;
