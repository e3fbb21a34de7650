
-- Leases the due jobs of fronts, whose columns are those of `next_fronts`, as far as the answer of
-- the claims has room for them, and sets jobs of paused kinds aside. `given` is how many jobs these
-- claims have, and `bounds` at which number each begins to take jobs. Out: the lives that were
-- leased, in the order of turns, and their bytes; whether the answer had no room for more; how many
-- were set aside; the fronts that gave jobs, with the turns that these move them to; those whose
-- jobs are held by transactions; the turn that was taken last; and how many jobs were of limited
-- partitions. The jobs are written down by conditions that no plan, however wrong its statistics,
-- reads the whole queue for.
CREATE FUNCTION {schema}.lease_fronts(
  of_queue integer, fronts text[], counts bigint[], turns bigint[], steps bigint[], limiteds boolean[], at_priority integer,
  moment bigint, given bigint, bounds bigint[], leases bigint[], tokens bytea[], workers text[], bytes_left bigint,
  aside_left bigint, stopped text[],
  OUT lives bigint[], OUT bytes bigint, OUT is_cut boolean, OUT set_aside bigint, OUT keys text[], OUT moved_to bigint[],
  OUT postponed text[], OUT last_turn bigint, OUT limited bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(fronts, counts, turns, steps) WITH ORDINALITY AS k (key, count, turn, step, n)
  ),
  found AS MATERIALIZED (
    SELECT
      j.*, CASE WHEN stopped IS NOT NULL THEN (
        SELECT b.kind = ANY (stopped) FROM {schema}.body AS b WHERE b.queue = of_queue AND b.seq = j.seq LIMIT 1
      ) ELSE false END AS is_stopped
    FROM (
      SELECT k.n, r.seq, r.run_at, r.size
      FROM wanted AS k CROSS JOIN LATERAL (
        SELECT r.seq, r.run_at, r.size FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.partition = k.key AND r.priority = at_priority + 2228224 AND r.run_at <= moment
        ORDER BY r.run_at, r.seq LIMIT k.count FOR UPDATE SKIP LOCKED
      ) AS r
      WHERE k.key <> ''
      UNION ALL
      SELECT k.n, r.seq, r.run_at, r.size
      FROM wanted AS k CROSS JOIN LATERAL (
        SELECT r.seq, r.run_at, r.size FROM {schema}.ready AS r
        WHERE r.queue = of_queue AND r.priority = at_priority AND r.run_at <= moment AND r.seq > 0
        ORDER BY r.run_at, r.seq LIMIT k.count FOR UPDATE SKIP LOCKED
      ) AS r
      WHERE k.key = ''
    ) AS j
  ),
  -- The answer has room for these; the first job of the claim always fits.
  fits AS MATERIALIZED (
    SELECT f.n, f.seq, f.run_at, f.total, width_bucket(given + nth - 1, bounds) AS asker
    FROM (
      SELECT f.*, sum(size) OVER w AS total, row_number() OVER w AS nth FROM found AS f WHERE NOT is_stopped
      WINDOW w AS (ORDER BY n, run_at, seq)
    ) AS f
    WHERE f.total <= bytes_left OR (f.nth = 1 AND given = 0)
  ),
  held AS MATERIALIZED (
    SELECT l.line, l.kind FROM {schema}.line AS l
    WHERE l.queue = of_queue AND l.paused > moment AND EXISTS (SELECT 1 FROM found WHERE is_stopped)
    FOR KEY SHARE SKIP LOCKED
  ),
  aside AS (
    UPDATE {schema}.ready AS r SET priority = at_priority + h.line * 65536
    FROM (SELECT seq FROM found WHERE is_stopped ORDER BY n, run_at, seq LIMIT aside_left) AS f
    CROSS JOIN LATERAL (SELECT kind FROM {schema}.body WHERE queue = of_queue AND seq = f.seq LIMIT 1) AS b
    JOIN held AS h ON h.kind = b.kind
    WHERE r.queue = ANY (ARRAY[of_queue + (f.seq * 0)::integer]) AND r.seq BETWEEN f.seq AND f.seq
    RETURNING r.seq
  ),
  taken AS (
    DELETE FROM {schema}.ready AS s USING fits AS p
    WHERE s.queue = ANY (ARRAY[of_queue + (p.seq * 0)::integer]) AND s.seq BETWEEN p.seq AND p.seq
    RETURNING s.*, p.asker
  ),
  leased AS (
    INSERT INTO {schema}.lease (
      seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker, failed_at,
      error_name, error_message, error_details, progress, partition
    )
    SELECT
      seq, moment + leases[asker], moment, moment + leases[asker], run_at, revision + 1, epoch + 1, failures, stalls, queue, flags,
      tokens[asker], workers[asker], failed_at, error_name, error_message, error_details, progress, partition
    FROM taken
  ),
  counted AS (
    INSERT INTO {schema}.tally (queue, failing) SELECT of_queue, -1 FROM taken WHERE state = 2
  ),
  shares AS MATERIALIZED (
    SELECT
      k.*, (SELECT count(*) FROM fits AS f WHERE f.n = k.n) AS got,
      (SELECT count(*) FROM found AS f WHERE f.n = k.n AND f.seq IN (SELECT seq FROM aside)) AS moved
    FROM wanted AS k
  )
  SELECT
    (SELECT array_agg(seq ORDER BY n, run_at, seq) FROM fits), (SELECT max(total) FROM fits),
    (SELECT count(*) FROM fits) < (SELECT count(*) FROM found WHERE NOT is_stopped), (SELECT count(*) FROM aside),
    array_agg(key) FILTER (WHERE got + moved > 0), array_agg(turn + step * got) FILTER (WHERE got + moved > 0),
    array_agg(key) FILTER (WHERE got + moved = 0), max(turn + step * (got - 1)) FILTER (WHERE got > 0),
    coalesce(sum(got) FILTER (WHERE limiteds[n::integer]), 0)
  INTO lives, bytes, is_cut, set_aside, keys, moved_to, postponed, last_turn, limited FROM shares;
END
$$;
