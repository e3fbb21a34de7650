
-- The claim from a queue with partitions or limits, which knows lines and gates too; `claim.sql`
-- and `claim_lines.sql` take nothing of it. One row: next due time, pause, time, first lapse,
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
  time_floor bigint, by_server boolean, of_queue integer, most bigint, most_limited bigint, lease bigint, by_token bytea,
  by_worker text, bytes_left bigint, aside_left bigint, has_folded boolean, not_after bigint, channel text, origin text,
  OUT next_due bigint, OUT paused bigint, OUT stamp bigint[], OUT lapse bigint, OUT kept_back boolean, OUT set_aside bigint,
  OUT kinds text[], OUT pauses bigint[], OUT heads bigint[], OUT has_gates boolean, OUT timeout bigint, OUT lives bigint[]
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  moment bigint;       -- store time
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
  IF paused > moment OR moment > not_after THEN
    most := 0;
  END IF;

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

  -- Slips are taken, and the partitions whose time has come are looked at. Of each partition with
  -- slips some are read, those that are left to later claims too: a backlog of one hides no other.
  SELECT t.present INTO last_turn FROM {schema}.turn AS t WHERE t.queue = of_queue;
  last_turn := coalesce(last_turn, 0);
  was_turn := last_turn;
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
    SELECT of_queue, partition, 0, false, look_at FROM looks WHERE look_at > moment ORDER BY partition
    ON CONFLICT (queue, partition) DO UPDATE SET wake_at = excluded.wake_at
    WHERE p.wake_at IS NULL OR p.wake_at > excluded.wake_at
  )
  -- The end of a lease changes nothing of a partition that is open, unless its job came back.
  SELECT array_agg(l.partition) INTO woken FROM looks AS l WHERE l.look_at <= moment AND (
    l.has_jobs OR NOT EXISTS (
      SELECT 1 FROM {schema}.partition AS p WHERE p.queue = of_queue AND p.partition = l.partition AND p.priority IS NOT NULL
    )
  );
  woken := woken || ''::text || ARRAY(
    SELECT p.partition FROM {schema}.partition AS p
    WHERE p.queue = of_queue AND p.wake_at <= moment ORDER BY p.wake_at LIMIT 1000
  );
  PERFORM {schema}.look_at_partitions(of_queue, woken, NULL, last_turn, moment, held_keys, held_priorities);
  IF has_more THEN
    most := 0;
  END IF;

  WHILE most > 0 LOOP
    -- The first front takes jobs until another has an earlier turn; several whose turns are within
    -- one step of the first take one each. What has another limit than it stood under is looked at
    -- first.
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
      (SELECT array_agg(partition) FROM near WHERE room <= 0 OR is_limited <> (running IS NOT NULL)) AS stale,
      array_agg(w.partition ORDER BY w.n) AS keys, array_agg(w.count ORDER BY w.n) AS counts,
      array_agg(w.turn ORDER BY w.n) AS turns, array_agg(w.step ORDER BY w.n) AS steps,
      array_agg(w.is_limited ORDER BY w.n) AS limiteds, min(w.priority)::integer AS priority
    INTO batch FROM wanted AS w;
    EXIT WHEN batch.keys IS NULL AND batch.stale IS NULL;
    IF batch.stale IS NOT NULL THEN
      PERFORM {schema}.look_at_partitions(of_queue, batch.stale, NULL, last_turn, moment, held_keys, held_priorities);
      CONTINUE;
    END IF;

    WITH fronts AS MATERIALIZED (
      SELECT * FROM unnest(batch.keys, batch.counts, batch.turns, batch.steps) WITH ORDINALITY AS k (key, count, turn, step, n)
    ),
    found AS MATERIALIZED (
      SELECT
        j.*, CASE WHEN stopped IS NOT NULL THEN (
          SELECT b.kind = ANY (stopped) FROM {schema}.body AS b WHERE b.queue = of_queue AND b.seq = j.seq LIMIT 1
        ) ELSE false END AS is_stopped
      FROM (
        SELECT k.n, r.seq, r.run_at, r.size
        FROM fronts AS k CROSS JOIN LATERAL (
          SELECT r.seq, r.run_at, r.size FROM {schema}.ready AS r
          WHERE r.queue = of_queue AND r.partition = k.key AND r.priority = batch.priority + 2228224 AND r.run_at <= moment
          ORDER BY r.run_at, r.seq LIMIT k.count FOR UPDATE SKIP LOCKED
        ) AS r
        WHERE k.key <> ''
        UNION ALL
        SELECT k.n, r.seq, r.run_at, r.size
        FROM fronts AS k CROSS JOIN LATERAL (
          SELECT r.seq, r.run_at, r.size FROM {schema}.ready AS r
          WHERE r.queue = of_queue AND r.priority = batch.priority AND r.run_at <= moment AND r.seq > 0
          ORDER BY r.run_at, r.seq LIMIT k.count FOR UPDATE SKIP LOCKED
        ) AS r
        WHERE k.key = ''
      ) AS j
    ),
    -- The answer has room for these; the first job of the claim always fits.
    fits AS MATERIALIZED (
      SELECT f.n, f.seq, f.run_at, f.total
      FROM (
        SELECT f.*, sum(size) OVER w AS total, row_number() OVER w AS nth FROM found AS f WHERE NOT is_stopped
        WINDOW w AS (ORDER BY n, run_at, seq)
      ) AS f
      WHERE f.total <= bytes_left OR (f.nth = 1 AND cardinality(lives) = 0)
    ),
    held AS MATERIALIZED (
      SELECT l.line, l.kind FROM {schema}.line AS l
      WHERE l.queue = of_queue AND l.paused > moment AND EXISTS (SELECT 1 FROM found WHERE is_stopped)
      FOR KEY SHARE SKIP LOCKED
    ),
    aside AS (
      UPDATE {schema}.ready AS r SET priority = batch.priority + h.line * 65536
      FROM (SELECT seq FROM found WHERE is_stopped ORDER BY n, run_at, seq LIMIT aside_left) AS f
      CROSS JOIN LATERAL (SELECT kind FROM {schema}.body WHERE queue = of_queue AND seq = f.seq LIMIT 1) AS b
      JOIN held AS h ON h.kind = b.kind
      WHERE r.queue = of_queue AND r.seq = f.seq
      RETURNING r.seq
    ),
    taken AS (
      DELETE FROM {schema}.ready AS s USING fits AS p WHERE s.queue = of_queue AND s.seq = p.seq
      RETURNING s.*
    ),
    leased AS (
      INSERT INTO {schema}.lease (
        seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker, failed_at,
        error_name, error_message, error_details, progress, partition
      )
      SELECT
        seq, moment + lease, moment, moment + lease, run_at, revision + 1, epoch + 1, failures, stalls, queue, flags, by_token, by_worker,
        failed_at, error_name, error_message, error_details, progress, partition
      FROM taken
    ),
    counted AS (
      INSERT INTO {schema}.tally (queue, failing) SELECT of_queue, -1 FROM taken WHERE state = 2
    ),
    shares AS MATERIALIZED (
      SELECT
        k.*, (SELECT count(*) FROM fits AS f WHERE f.n = k.n) AS got,
        (SELECT count(*) FROM found AS f WHERE f.n = k.n AND f.seq IN (SELECT seq FROM aside)) AS moved
      FROM fronts AS k
    )
    SELECT
      (SELECT array_agg(seq ORDER BY n, run_at, seq) FROM fits) AS lives, (SELECT max(total) FROM fits) AS bytes,
      (SELECT count(*) FROM fits) < (SELECT count(*) FROM found WHERE NOT is_stopped) AS is_cut,
      (SELECT count(*) FROM aside) AS aside,
      array_agg(key) FILTER (WHERE got + moved > 0) AS keys, array_agg(turn + step * got) FILTER (WHERE got + moved > 0) AS turns,
      array_agg(key) FILTER (WHERE got + moved = 0) AS postponed,
      max(turn + step * (got - 1)) FILTER (WHERE got > 0) AS last_turn,
      coalesce(sum(got) FILTER (WHERE batch.limiteds[n::integer]), 0) AS limited
    INTO given FROM shares;

    lives := lives || coalesce(given.lives, ARRAY[]::bigint[]);
    bytes_left := bytes_left - coalesce(given.bytes, 0);
    most := most - coalesce(cardinality(given.lives), 0);
    most_limited := most_limited - given.limited;
    aside_left := aside_left - given.aside;
    last_turn := coalesce(given.last_turn, last_turn);
    IF given.keys IS NOT NULL THEN
      PERFORM {schema}.look_at_partitions(of_queue, given.keys, given.turns, last_turn, moment, held_keys, held_priorities);
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
