-- Migration 2, the first one: version 1 is of before the first release, and is refused. Runs once
-- per schema, inside the migration's transaction. {schema} is the quoted name.
--
-- A job is spread over tables by how often its parts change. `body` is written once in a life, but
-- for amendments and for a redrive that mends the content type. The state of a job is one row in
-- exactly one of three narrow tables: `ready` while it waits, `lease` while it runs, `finished`
-- when it is terminal. A step of a life deletes the row here and inserts it there, so the hot
-- tables hold live jobs alone and nothing large is rewritten. Whoever deleted a state row, and
-- nobody else, may delete or amend the body, or write the next life of the id over it.
--
-- Every key begins with the queue: no walk meets the jobs of another one, and a table can be
-- divided by queues. The primary key is the only index that finds a job by its number. Any other
-- index has `WHERE seq > 0`, which is true of every row, so that only a statement that says this
-- may use it: to a server that last saw the table empty, walking a whole queue in any of its
-- indexes looks as cheap as finding one row.
--
-- Times are milliseconds since 1970 on the store's clock. Flags: 1 cancel requested, 2 awaited, 4
-- expires no more, 8 attempts were charged to it, 16 it has a gate, 32 it owes end signals, 64 they
-- are sent, and how many there are, times 128.

CREATE TABLE {schema}.clock (
  one  boolean PRIMARY KEY DEFAULT true CHECK (one),
  mark bigint  NOT NULL -- store time never goes back behind this (I24)
);
INSERT INTO {schema}.clock (mark) VALUES (0);

CREATE TABLE {schema}.queue (
  queue  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name   text COLLATE "C" NOT NULL UNIQUE,
  paused bigint NOT NULL DEFAULT 0, -- until when: the number of a `Pause`
  has_lines boolean NOT NULL DEFAULT false,
  has_gates boolean NOT NULL DEFAULT false, -- once a job of it had one; it stays
  has_partitions boolean NOT NULL DEFAULT false, -- once a job of it had one, or it had a limit; it stays
  -- Until when `claim.sql` takes nothing: for ever while there are lines or gates, which are for
  -- `claim_lines.sql`, or partitions, which are for `claim_in_turn`.
  closed bigint NOT NULL GENERATED ALWAYS AS (
    CASE WHEN has_lines OR has_gates OR has_partitions THEN 9223372036854775807 ELSE paused END
  ) STORED
);

-- The kinds of a queue that are paused, or whose jobs were set aside (ADR 54). The jobs of a line
-- stand in `ready` under priorities of the line's own, where claims of other jobs do not meet them.
CREATE TABLE {schema}.line (
  queue  integer  NOT NULL,
  line   smallint NOT NULL CHECK (line BETWEEN 1 AND 32),
  kind   text COLLATE "C" NOT NULL,
  paused bigint   NOT NULL, -- as of a queue
  PRIMARY KEY (queue, line),
  UNIQUE (queue, kind)
);

-- The priorities that a queue has ever used, so that a claim visits each one's front directly.
CREATE TABLE {schema}.lane (
  queue    integer NOT NULL,
  priority integer NOT NULL, -- of the type that it has in `ready`: a search by another would cost more
  PRIMARY KEY (queue, priority)
);

-- Numbers lives; never set back, so that no number is given twice (I2).
CREATE SEQUENCE {schema}.life AS bigint;

CREATE TABLE {schema}.body (
  seq            bigint   NOT NULL,
  created_at     bigint   NOT NULL,
  expires_in     bigint,            -- milliseconds from created_at, to wait for its start
  queue          integer  NOT NULL,
  priority       smallint NOT NULL,
  id             text COLLATE "C" NOT NULL,
  kind           text COLLATE "C" NOT NULL,
  terms          bytea,             -- `JobTerms::to_bytes`, which `queue show` reads; none for a plain job
  headers        text,              -- lines of a name, a tab and a value; none if there are none
  tags           text COLLATE "C",  -- lines; none if there are none
  content_type   text COLLATE "C" NOT NULL,
  payload        bytea    NOT NULL,
  partition      text COLLATE "C",  -- for life
  PRIMARY KEY (queue, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE UNIQUE INDEX body_id ON {schema}.body (queue, id) WHERE seq > 0;

-- Written with the body, for jobs with tags alone, and gone with it.
CREATE TABLE {schema}.tag (
  queue integer NOT NULL,
  tag   text COLLATE "C" NOT NULL,
  seq   bigint NOT NULL,
  PRIMARY KEY (queue, tag, seq)
);

-- What was charged to a life: written once, by the step that charges, and gone with the body. Only
-- a job with flag 8 has any.
CREATE TABLE {schema}.attempt (
  seq           bigint   NOT NULL,
  epoch         bigint   NOT NULL,
  claimed_at    bigint   NOT NULL,
  ended_at      bigint   NOT NULL,
  queue         integer  NOT NULL,
  outcome       smallint NOT NULL, -- 0 failed, 1 stalled
  worker        text COLLATE "C" NOT NULL,
  error_name    text     NOT NULL,
  error_message text     NOT NULL, -- 256 bytes at most
  PRIMARY KEY (queue, seq, epoch)
);

CREATE TABLE {schema}.ready (
  seq           bigint   NOT NULL,
  run_at        bigint   NOT NULL,
  revision      bigint   NOT NULL,
  epoch         bigint   NOT NULL,
  failures      bigint   NOT NULL,
  stalls        bigint   NOT NULL,
  queue         integer  NOT NULL,
  size          integer  NOT NULL, -- bytes of the payload, for claims to know what they answer with
  -- Of the job, and 65536 for each number of the line that it is in, or 34 * 65536 in a partition;
  -- or 33 * 65536 of a job behind a closed gate, which so waits in the order of time-outs.
  priority      integer  NOT NULL,
  state         smallint NOT NULL,
  flags         smallint NOT NULL,
  settled_event smallint,
  settled_token bytea,
  claimed_at    bigint,            -- by the last claim
  failed_at     bigint,            -- when the last error came
  error_name    text,
  error_message text,
  error_details bytea,
  progress      bytea,
  partition     text COLLATE "C",  -- of the job
  PRIMARY KEY (queue, seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  vacuum_truncate = false
);

-- The order of claims (I12), and that within each partition.
CREATE INDEX ready_order ON {schema}.ready (queue, priority, run_at, seq) WHERE seq > 0;
CREATE INDEX ready_partition ON {schema}.ready (queue, partition, priority, run_at, seq) WHERE partition IS NOT NULL;

CREATE INDEX ready_failing ON {schema}.ready (queue, failed_at, seq) WHERE state = 2;

-- `deadline` is set by the claim and indexed; a heartbeat moves `expires_at` alone, which is never
-- earlier, so that it writes no index. Looking for lapsed leases moves `deadline` on.
CREATE TABLE {schema}.lease (
  seq           bigint   NOT NULL,
  deadline      bigint   NOT NULL,
  claimed_at    bigint   NOT NULL,
  expires_at    bigint   NOT NULL,
  run_at        bigint   NOT NULL,
  revision      bigint   NOT NULL,
  epoch         bigint   NOT NULL,
  failures      bigint   NOT NULL,
  stalls        bigint   NOT NULL,
  queue         integer  NOT NULL,
  flags         smallint NOT NULL,
  token         bytea    NOT NULL,
  worker        text COLLATE "C" NOT NULL,
  failed_at     bigint,
  error_name    text,
  error_message text,
  error_details bytea,
  progress      bytea,
  partition     text COLLATE "C",  -- of the job
  PRIMARY KEY (queue, seq)
) WITH (
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  vacuum_truncate = false
);

CREATE INDEX lease_deadline ON {schema}.lease (queue, deadline) WHERE seq > 0;

-- The slots of each partition.
CREATE INDEX lease_partition ON {schema}.lease (queue, partition) WHERE partition IS NOT NULL;

CREATE TABLE {schema}.finished (
  seq           bigint   NOT NULL,
  finished_at   bigint   NOT NULL,
  purge_at      bigint, -- none is never
  run_at        bigint   NOT NULL,
  revision      bigint   NOT NULL,
  epoch         bigint   NOT NULL,
  failures      bigint   NOT NULL,
  stalls        bigint   NOT NULL,
  queue         integer  NOT NULL,
  state         smallint NOT NULL,
  flags         smallint NOT NULL,
  reason        smallint,
  settled_event smallint,
  settled_token bytea,
  claimed_at    bigint,
  failed_at     bigint,
  error_name    text,
  error_message text,
  error_details bytea,
  progress      bytea,
  result_type   text COLLATE "C",
  result        bytea,
  PRIMARY KEY (queue, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX finished_purge ON {schema}.finished (queue, purge_at, finished_at) WHERE seq > 0;

-- Not of completed ones: every job would pay for it.
CREATE INDEX finished_failures ON {schema}.finished (queue, state, finished_at, seq) WHERE state > 3;

-- How many jobs each queue has: the totals, and what changed since. A statement that moves jobs
-- adds a row of changes for each queue, in the step that moves them, and waits for nobody;
-- `fold.sql` adds these to the totals now and then. The sum of both is right in every snapshot.
-- Claims of new jobs change nothing here: those that run are few, and are counted where they stand.
-- The total of queue 0 says that there are totals: a crash empties tables that are not logged, and
-- the next look at the counters counts the records (`recount.sql`).
CREATE UNLOGGED TABLE {schema}.total (
  queue      integer PRIMARY KEY,
  unfinished bigint NOT NULL DEFAULT 0,
  failing    bigint NOT NULL DEFAULT 0, -- of the unfinished
  completed  bigint NOT NULL DEFAULT 0,
  failed     bigint NOT NULL DEFAULT 0,
  cancelled  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO {schema}.total (queue) VALUES (0);

-- Small, and read whole: it has no index that each statement would have to write.
CREATE UNLOGGED TABLE {schema}.tally (
  queue      integer NOT NULL,
  unfinished integer NOT NULL DEFAULT 0,
  failing    integer NOT NULL DEFAULT 0,
  completed  integer NOT NULL DEFAULT 0,
  failed     integer NOT NULL DEFAULT 0,
  cancelled  integer NOT NULL DEFAULT 0
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

CREATE TABLE {schema}.worker (
  id          text COLLATE "C" PRIMARY KEY,
  queues      text    NOT NULL, -- one name per line; names contain no control characters
  concurrency bigint  NOT NULL,
  held        bigint  NOT NULL,
  host        text    NOT NULL,
  expires_at  bigint  NOT NULL,
  duty      smallint NOT NULL DEFAULT 0, -- what somebody asked of it
  about       bytea   NOT NULL
);

-- What workers and others say about slots of series; the store does not interpret it.
CREATE TABLE {schema}.series (
  series     text COLLATE "C" NOT NULL,
  slot       bigint NOT NULL,
  writer     text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  bytes      bytea  NOT NULL,
  PRIMARY KEY (series, slot, writer)
);

CREATE INDEX series_expiry ON {schema}.series (expires_at);

-- Which queues somebody wants to hear of in full, and until when.
CREATE TABLE {schema}.feed (
  queue integer PRIMARY KEY,
  until bigint NOT NULL
);

-- The gates of jobs with flag 16, gone with the body (ADR 81). Counts are 64 bits without a sign;
-- no statement compares them. Who raises one locks it FOR KEY SHARE until the commit, who folds
-- FOR UPDATE, and who closes or seals it by an update, which waits for no raise.
CREATE TABLE {schema}.gate (
  seq          bigint  NOT NULL,
  needs        bigint  NOT NULL,
  signals      bigint  NOT NULL DEFAULT 0,
  completed    bigint  NOT NULL DEFAULT 0,
  failed       bigint  NOT NULL DEFAULT 0,
  cancelled    bigint  NOT NULL DEFAULT 0,
  closed_at    bigint,           -- the epoch; none if it was opened since
  queue        integer NOT NULL,
  is_sealed    boolean NOT NULL,
  heeds_urgent boolean NOT NULL,
  PRIMARY KEY (queue, seq)
);

-- The end signals of jobs with flag 32 or 64, written with the body and gone with it.
CREATE TABLE {schema}.end_signal (
  seq    bigint   NOT NULL,
  target bigint,            -- the life; none of an imported one that goes by the id
  queue  integer  NOT NULL,
  n      smallint NOT NULL,
  bits   smallint NOT NULL, -- 1 raises, 2 tolerant, 4 urgent
  to_id  text COLLATE "C" NOT NULL,
  PRIMARY KEY (queue, seq, n)
);

-- What came to gates and is not folded into their rows: insert-only, so that an end of a job waits
-- for no other.
CREATE TABLE {schema}.slip (
  target    bigint  NOT NULL,
  raises    bigint  NOT NULL DEFAULT 0,
  completed bigint  NOT NULL DEFAULT 0,
  failed    bigint  NOT NULL DEFAULT 0,
  cancelled bigint  NOT NULL DEFAULT 0,
  seen      bigint,           -- a suspend: how many that did not complete its holder has seen
  queue     integer NOT NULL,
  wakes     boolean NOT NULL DEFAULT false -- an urgent signal that did not count as completed
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

CREATE INDEX slip_target ON {schema}.slip (queue, target);

-- The limits of queues, by scope: 0 each partition, 1 the jobs without one, 2 one partition.
CREATE TABLE {schema}.queue_limit (
  running   bigint,            -- the most that run at once; none is no limit
  queue     integer  NOT NULL,
  scope     smallint NOT NULL,
  weight    smallint NOT NULL,
  partition text COLLATE "C" NOT NULL, -- empty for the other scopes
  PRIMARY KEY (queue, scope, partition)
);

-- The partitions of which a claim gets a job next, or at a known time, each with its turn (ADR 83).
-- The jobs without one stand here as the partition without a name. Only claims write here, one
-- after the other. Full and empty partitions have no row: slips open them.
CREATE TABLE {schema}.partition (
  turn       bigint   NOT NULL,
  wake_at    bigint,            -- when the next of its jobs is due that are not; none is not known
  queue      integer  NOT NULL,
  priority   smallint,          -- of its next job; none if it has none to give
  is_limited boolean  NOT NULL,
  partition  text COLLATE "C" NOT NULL,
  PRIMARY KEY (queue, partition)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000
);

CREATE INDEX partition_turn ON {schema}.partition (queue, is_limited, priority, turn, partition) WHERE priority IS NOT NULL;
CREATE INDEX partition_wake ON {schema}.partition (queue, wake_at) WHERE wake_at IS NOT NULL;

-- The turn that was taken last, of queues with partitions or limits.
CREATE TABLE {schema}.turn (
  queue   integer PRIMARY KEY,
  present bigint  NOT NULL
) WITH (fillfactor = 50);

-- The next claim looks at this partition, once the time has come: a job of it came to wait, or a
-- lease of it ended, or a limit changed. Insert-only, and committed with what it tells of, so that
-- no transaction waits for another (ADR 84). One that comes late or twice costs a look.
CREATE TABLE {schema}.partition_slip (
  look_at   bigint  NOT NULL,
  queue     integer NOT NULL,
  partition text COLLATE "C" NOT NULL
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

CREATE INDEX partition_slip_look ON {schema}.partition_slip (queue, partition, look_at);

-- Every job in one row, for reads and for people. The limit has each state looked up by itself,
-- whatever the plan.
CREATE VIEW {schema}.job AS
SELECT
  b.seq, b.id, b.kind, b.priority, b.created_at, b.terms, b.expires_in, b.tags,
  s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.expires_at, s.worker, s.token,
  s.settled_token, s.settled_event, s.reason, s.finished_at, s.purge_at, s.error_name, s.error_message, s.progress,
  s.error_details, s.result_type, s.result, b.content_type, b.payload, b.headers, s.claimed_at, s.failed_at, b.queue,
  CASE WHEN s.flags & 16 <> 0 THEN (
    SELECT
      ARRAY[
        g.needs, g.signals, g.completed, g.failed, g.cancelled, g.is_sealed::integer, g.heeds_urgent::integer, g.closed_at,
        p.raises, p.completed, p.failed, p.cancelled
      ]
    FROM {schema}.gate AS g CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(raises), 0)::bigint AS raises, coalesce(sum(completed), 0)::bigint AS completed,
        coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(cancelled), 0)::bigint AS cancelled
      FROM {schema}.slip WHERE queue = b.queue AND target = b.seq
    ) AS p
    WHERE g.queue = b.queue AND g.seq = b.seq LIMIT 1
  ) END AS gate, b.partition
FROM {schema}.body AS b CROSS JOIN LATERAL (
  SELECT
    state, revision, run_at, epoch, failures, stalls, flags, NULL::bigint AS expires_at, NULL::text AS worker,
    NULL::bytea AS token, settled_token, settled_event, NULL::smallint AS reason, NULL::bigint AS finished_at,
    NULL::bigint AS purge_at, error_name, error_message, progress, error_details, NULL::text AS result_type,
    NULL::bytea AS result, claimed_at, failed_at
  FROM {schema}.ready WHERE queue = b.queue AND seq = b.seq
  UNION ALL
  SELECT
    1::smallint, revision, run_at, epoch, failures, stalls, flags, expires_at, worker,
    token, NULL, NULL, NULL, NULL,
    NULL, error_name, error_message, progress, error_details, NULL,
    NULL, claimed_at, failed_at
  FROM {schema}.lease WHERE queue = b.queue AND seq = b.seq
  UNION ALL
  SELECT
    state, revision, run_at, epoch, failures, stalls, flags, NULL, NULL,
    NULL, settled_token, settled_event, reason, finished_at,
    purge_at, error_name, error_message, progress, error_details, result_type,
    result, claimed_at, failed_at
  FROM {schema}.finished WHERE queue = b.queue AND seq = b.seq
  LIMIT 1
) AS s;

-- Fails the statement that calls it: `enqueue.sql` does so where an id that it found taken was
-- freed before it could answer, or the other way round. The statement is sent again. The SQLSTATE
-- is the library's own, so that no error of the server is taken for it.
CREATE FUNCTION {schema}.refuse_lost_race() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an id was taken and freed meanwhile' USING ERRCODE = 'QJ001';
END
$$;
