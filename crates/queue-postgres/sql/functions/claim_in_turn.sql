
-- Claims from a queue with partitions or limits, which know lines and gates too; `claim.sql` and
-- `claim_lines.sql` take nothing of it. The lives go to the claims as if these came one after the
-- other; the bytes are those of all together. One row: next due time, pause, time, first lapse,
-- whether a limit on limited jobs kept some back, how many were set aside or brought back, of each
-- line its kind, pause and head, whether the queue has gates, the first time-out of one, and the
-- lives that were leased, in the order of turns. What is leased is read by another statement, so
-- that a client that reads slowly keeps the lock from nobody.
-- Guard: claims in turn of one queue come one after the other. Slips are taken by a statement, and
-- partitions looked at by later ones: what a look does not see left a slip that was not taken
-- (ADR 84). Jobs that a transaction holds are passed over, and those behind them are given.
-- Cost: a thousand slips, a thousand partitions that have some, as many whose time has come, and
-- the fronts and jobs that it gives; whatever number of partitions is full.
CREATE FUNCTION {schema}.claim_in_turn(
  time_floor bigint, by_server boolean, of_queue integer, wanted bigint[], most_limited bigint, leases bigint[], tokens bytea[],
  workers text[], bytes_left bigint, aside_left bigint, has_folded boolean, not_after bigint[], channel text, origin text,
  OUT next_due bigint, OUT paused bigint, OUT stamp bigint[], OUT lapse bigint, OUT kept_back boolean, OUT set_aside bigint,
  OUT kinds text[], OUT pauses bigint[], OUT heads bigint[], OUT has_gates boolean, OUT timeout bigint, OUT lives bigint[]
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  moment bigint;       -- store time
  most bigint;         -- how many jobs are still wanted
  bounds bigint[];     -- at which number each claim begins to take jobs
  aside_most CONSTANT bigint := aside_left;
  stopped text[];      -- kinds that are paused
  has_resumed boolean;
  has_more boolean := false; -- another claim is to go on at once
  moved bigint;
  woken text[];
  last_turn bigint;    -- the turn that was taken last
  was_turn bigint;
  held_keys text[] := ARRAY[]::text[]; -- partitions of which transactions hold due jobs
  held_priorities integer[] := ARRAY[]::integer[]; -- of those jobs
  batch record;        -- the fronts whose turn it is
  given record;        -- what was leased of them
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a claim in turn needs READ COMMITTED';
  END IF;
  PERFORM {schema}.lock_turns(of_queue);
  SELECT ARRAY[greatest(time_floor, (SELECT mark FROM {schema}.clock WHERE one), c.clock), c.clock] INTO stamp
  FROM (SELECT CASE WHEN by_server THEN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint END AS clock) AS c;
  moment := stamp[1];
  lives := ARRAY[]::bigint[];
  kept_back := false;
  set_aside := 0;
  SELECT CASE WHEN q.has_gates AND NOT has_folded THEN 9223372036854775807 ELSE q.paused END, q.has_gates
  INTO paused, has_gates FROM {schema}.queue AS q WHERE q.queue = of_queue;
  IF paused = 9223372036854775807 THEN
    RETURN;
  END IF;
  SELECT array_agg(w.before ORDER BY w.n), sum(w.most) INTO bounds, most
  FROM (
    SELECT n, w.most, sum(w.most) OVER (ORDER BY n) - w.most AS before
    FROM unnest(wanted, not_after) WITH ORDINALITY AS c (most, until, n)
    CROSS JOIN LATERAL (SELECT CASE WHEN paused > moment OR moment > until THEN 0 ELSE c.most END AS most) AS w
  ) AS w;

  -- Jobs of resumed kinds come back, with slips.
  SELECT array_agg(l.kind) FILTER (WHERE l.paused > moment), coalesce(bool_or(l.paused <= moment), false)
  INTO stopped, has_resumed FROM {schema}.line AS l WHERE l.queue = of_queue;
  IF has_resumed AND most > 0 THEN
    WITH back AS MATERIALIZED (
      SELECT r.seq, l.line
      FROM {schema}.line AS l CROSS JOIN LATERAL (
        SELECT r.seq FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.priority BETWEEN l.line * 65536 - 32768 AND l.line * 65536 + 32767 AND r.seq > 0
        ORDER BY r.priority, r.run_at, r.seq LIMIT aside_left FOR UPDATE SKIP LOCKED
      ) AS r
      WHERE l.queue = of_queue AND l.paused <= moment
      LIMIT aside_left
    )
    UPDATE {schema}.ready AS r SET priority = {schema}.place(r.priority - b.line * 65536, r.partition)
    FROM back AS b WHERE r.queue = of_queue AND r.seq = b.seq;
    GET DIAGNOSTICS moved = ROW_COUNT;
    aside_left := aside_left - moved;
    has_more := aside_left = 0;
  END IF;

  SELECT t.present INTO last_turn FROM {schema}.turn AS t WHERE t.queue = of_queue;
  last_turn := coalesce(last_turn, 0);
  was_turn := last_turn;
  woken := {schema}.take_partition_slips(of_queue, moment);
  PERFORM {schema}.look_at_partitions(of_queue, woken, NULL, last_turn, moment, held_keys, held_priorities);
  IF has_more THEN
    most := 0;
  END IF;

  WHILE most > 0 LOOP
    SELECT * INTO batch FROM {schema}.next_fronts(of_queue, most, most_limited);
    EXIT WHEN batch.keys IS NULL AND batch.stale IS NULL;
    IF batch.stale IS NOT NULL THEN
      PERFORM {schema}.look_at_partitions(of_queue, batch.stale, NULL, last_turn, moment, held_keys, held_priorities);
      CONTINUE;
    END IF;

    SELECT * INTO given FROM {schema}.lease_fronts(
      of_queue, batch.keys, batch.counts, batch.turns, batch.steps, batch.limiteds, batch.priority,
      moment, cardinality(lives), bounds, leases, tokens, workers, bytes_left, aside_left, stopped
    );
    lives := lives || coalesce(given.lives, ARRAY[]::bigint[]);
    bytes_left := bytes_left - coalesce(given.bytes, 0);
    most := most - coalesce(cardinality(given.lives), 0);
    most_limited := most_limited - given.limited;
    aside_left := aside_left - given.set_aside;
    last_turn := coalesce(given.last_turn, last_turn);
    IF given.keys IS NOT NULL THEN
      PERFORM {schema}.look_at_partitions(of_queue, given.keys, given.moved_to, last_turn, moment, held_keys, held_priorities);
    END IF;
    IF given.is_cut OR (aside_left = 0 AND most > 0) THEN
      has_more := true;
      EXIT;
    END IF;
    -- What still seems to have a job is held by a transaction. Jobs behind it are not.
    IF given.postponed IS NOT NULL THEN
      held_keys := held_keys || given.postponed;
      held_priorities := held_priorities || array_fill(batch.priority, ARRAY[cardinality(given.postponed)]);
      PERFORM {schema}.look_at_partitions(of_queue, given.postponed, NULL, last_turn, moment, held_keys, held_priorities);
    END IF;
  END LOOP;

  IF last_turn <> was_turn THEN
    INSERT INTO {schema}.turn (queue, present) VALUES (of_queue, last_turn)
    ON CONFLICT (queue) DO UPDATE SET present = excluded.present;
  END IF;
  set_aside := aside_most - aside_left;
  SELECT array_agg(h.kind), array_agg(h.paused), array_agg(h.head) INTO kinds, pauses, heads
  FROM (
    SELECT l.kind, l.paused, (
      SELECT r.run_at FROM {schema}.ready AS r
      WHERE r.queue = of_queue AND r.priority BETWEEN l.line * 65536 - 32768 AND l.line * 65536 + 32767 AND r.seq > 0
      ORDER BY r.priority, r.run_at, r.seq LIMIT 1
    ) AS head
    FROM {schema}.line AS l WHERE l.queue = of_queue
  ) AS h;
  IF has_gates THEN
    SELECT r.run_at INTO timeout FROM {schema}.ready AS r
    WHERE r.queue = of_queue AND r.priority = 2162688 AND r.seq > 0 ORDER BY r.run_at, r.seq LIMIT 1;
  END IF;
  SELECT min(expires_at) INTO lapse FROM {schema}.lease
  WHERE queue = of_queue AND seq > 0
    AND deadline <= (SELECT expires_at FROM {schema}.lease WHERE queue = of_queue AND seq > 0 ORDER BY deadline LIMIT 1);
  kept_back := most > 0 AND most_limited = 0 AND NOT has_more AND EXISTS (
    SELECT 1 FROM {schema}.partition WHERE queue = of_queue AND is_limited AND priority IS NOT NULL
  );
  next_due := least(
    CASE WHEN has_more OR EXISTS (SELECT 1 FROM {schema}.partition_slip WHERE queue = of_queue) THEN moment END,
    (
      SELECT r.run_at FROM (
        SELECT partition, priority FROM {schema}.partition
        WHERE queue = of_queue AND priority IS NOT NULL ORDER BY is_limited, priority, turn, partition LIMIT 1
      ) AS f CROSS JOIN LATERAL (
        (
          SELECT r.run_at FROM {schema}.ready AS r
          WHERE r.queue = of_queue AND r.partition = f.partition AND r.priority = f.priority + 2228224
          ORDER BY r.run_at, r.seq LIMIT 1
        )
        UNION ALL
        (
          SELECT r.run_at FROM {schema}.ready AS r
          WHERE f.partition = '' AND r.queue = of_queue AND r.priority = f.priority AND r.seq > 0
          ORDER BY r.run_at, r.seq LIMIT 1
        )
      ) AS r
    ),
    (
      SELECT greatest(p.wake_at, moment) FROM {schema}.partition AS p
      WHERE p.queue = of_queue AND p.wake_at IS NOT NULL ORDER BY p.wake_at LIMIT 1
    ),
    lapse
  );
  IF channel IS NOT NULL AND EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = of_queue AND until > moment) THEN
    PERFORM pg_notify(channel, origin || E'\n' || string_agg(part.line, E'\n'))
    FROM (
      SELECT k.n / 20 AS part, concat_ws(E'\t', 'j', of_queue, l.seq, l.revision, 1, b.id) AS line
      FROM unnest(lives) WITH ORDINALITY AS k (seq, n)
      CROSS JOIN LATERAL (SELECT seq, revision FROM {schema}.lease WHERE queue = of_queue AND seq = k.seq LIMIT 1) AS l
      CROSS JOIN LATERAL (SELECT id FROM {schema}.body WHERE queue = of_queue AND seq = k.seq LIMIT 1) AS b
    ) AS part
    GROUP BY part.part;
  END IF;
END
$$;
