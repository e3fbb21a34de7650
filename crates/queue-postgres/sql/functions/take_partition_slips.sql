
-- Takes slips, and answers the partitions to look at: those that the slips name, those whose time
-- has come, and '' for the jobs without one. Of the partitions behind the last slip that it takes
-- it reads one slip each, and leaves it to later claims: a backlog of one hides no other. What is
-- due later is written down.
-- Cost: a thousand slips, a thousand partitions that have some, and as many whose time has come. A
-- subquery with a limit is looked up for each slip; EXISTS would read all open partitions.
CREATE FUNCTION {schema}.take_partition_slips(of_queue integer, now bigint, OUT woken text[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH RECURSIVE slips AS MATERIALIZED (
    SELECT ctid AS slip, partition, look_at FROM {schema}.partition_slip WHERE queue = of_queue
    ORDER BY partition, look_at LIMIT 1000
  ),
  behind AS (
    SELECT count(DISTINCT partition) AS n, max(partition) AS partition FROM slips HAVING count(*) = 1000
    UNION ALL
    SELECT b.n + 1, (
      SELECT s.partition FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition > b.partition
      ORDER BY s.partition LIMIT 1
    )
    FROM behind AS b WHERE b.partition IS NOT NULL AND b.n < 1000
  ),
  looks AS MATERIALIZED (
    SELECT partition, min(look_at) AS look_at, max(look_at) > 0 AS has_changed FROM slips GROUP BY partition
    UNION ALL
    SELECT
      b.partition, (
        SELECT s.look_at FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition = b.partition
        ORDER BY s.look_at LIMIT 1
      ), true
    FROM behind AS b WHERE b.partition > (SELECT max(partition) FROM slips)
  ),
  taken AS (
    DELETE FROM {schema}.partition_slip WHERE ctid = ANY (ARRAY(SELECT slip FROM slips))
  ),
  later AS (
    INSERT INTO {schema}.partition AS p (queue, partition, turn, is_limited, wake_at)
    SELECT of_queue, partition, 0, false, look_at FROM looks WHERE look_at > now ORDER BY partition
    ON CONFLICT (queue, partition) DO UPDATE SET wake_at = excluded.wake_at
    WHERE p.wake_at IS NULL OR p.wake_at > excluded.wake_at
  )
  -- The end of a lease opens a partition that is full and has a job.
  SELECT array_agg(l.partition) INTO woken FROM looks AS l WHERE l.look_at <= now AND (
    l.has_changed OR (
      (
        SELECT p.priority FROM {schema}.partition AS p WHERE p.queue = of_queue AND p.partition = l.partition LIMIT 1
      ) IS NULL
      AND (
        SELECT r.seq FROM {schema}.ready AS r WHERE r.queue = of_queue AND r.partition = l.partition
        ORDER BY r.priority LIMIT 1
      ) IS NOT NULL
    )
  );
  woken := woken || ''::text || ARRAY(
    SELECT p.partition FROM {schema}.partition AS p
    WHERE p.queue = of_queue AND p.wake_at <= now ORDER BY p.wake_at LIMIT 1000
  );
END
$$;
