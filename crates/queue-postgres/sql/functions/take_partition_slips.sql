
-- Takes slips, and answers the partitions to look at: those that the slips name, those whose time
-- has come, and '' for the jobs without one. Of each partition with slips some are read, those that
-- are left to later claims too: a backlog of one hides no other. What is due later is written down.
-- Cost: a thousand slips, a thousand partitions that have some, and as many whose time has come.
CREATE FUNCTION {schema}.take_partition_slips(of_queue integer, now bigint, OUT woken text[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH RECURSIVE keys AS (
    (SELECT 1 AS n, partition FROM {schema}.partition_slip WHERE queue = of_queue ORDER BY partition LIMIT 1)
    UNION ALL
    SELECT k.n + 1, (
      SELECT s.partition FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition > k.partition
      ORDER BY s.partition LIMIT 1
    )
    FROM keys AS k WHERE k.partition IS NOT NULL AND k.n < 1000
  ),
  looks AS MATERIALIZED (
    SELECT
      k.partition, (
        SELECT s.look_at FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition = k.partition
        ORDER BY s.look_at LIMIT 1
      ) AS look_at, (
        SELECT s.look_at > 0 FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition = k.partition
        ORDER BY s.look_at DESC LIMIT 1
      ) AS has_jobs
    FROM keys AS k WHERE k.partition IS NOT NULL
  ),
  taken AS (
    DELETE FROM {schema}.partition_slip WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM looks AS l CROSS JOIN LATERAL (
        SELECT s.ctid FROM {schema}.partition_slip AS s WHERE s.queue = of_queue AND s.partition = l.partition LIMIT 1000
      ) AS s
      LIMIT 1000
    ))
  ),
  later AS (
    INSERT INTO {schema}.partition AS p (queue, partition, turn, is_limited, wake_at)
    SELECT of_queue, partition, 0, false, look_at FROM looks WHERE look_at > now ORDER BY partition
    ON CONFLICT (queue, partition) DO UPDATE SET wake_at = excluded.wake_at
    WHERE p.wake_at IS NULL OR p.wake_at > excluded.wake_at
  )
  -- The end of a lease changes nothing of a partition that is open, unless its job came back.
  SELECT array_agg(l.partition) INTO woken FROM looks AS l WHERE l.look_at <= now AND (
    l.has_jobs OR NOT EXISTS (
      SELECT 1 FROM {schema}.partition AS p WHERE p.queue = of_queue AND p.partition = l.partition AND p.priority IS NOT NULL
    )
  );
  woken := woken || ''::text || ARRAY(
    SELECT p.partition FROM {schema}.partition AS p
    WHERE p.queue = of_queue AND p.wake_at <= now ORDER BY p.wake_at LIMIT 1000
  );
END
$$;
