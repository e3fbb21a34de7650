-- Migration 2, the first one: versions 1 are of before the first release, and are refused. Runs
-- once per database file, inside the migration's transaction.
--
-- A row of `queue_job` is a job as it was enqueued, and hardly ever changes. `queue_life` says what
-- became of it, from the first claim or other change on; a job without a row there is as it was
-- enqueued: Queued, at revision 1, never claimed. So rows are appended where they stay, and a
-- change rewrites a small row beside its neighbours of the same claim. A waiting job is also in
-- exactly one of `queue_ready`, `queue_partition_ready`, `queue_scheduled`, `queue_gated` and
-- `queue_aside`, which keep the order alone.

CREATE TABLE queue_store (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  seq_mark  INTEGER NOT NULL, -- the last seq given out; never reused (I2)
  time_mark INTEGER NOT NULL, -- the highest store time ever answered with a write (I24)
  commits   INTEGER NOT NULL, -- write transactions so far, by all processes
  recent    BLOB    NOT NULL  -- which queues the last of them wrote, as `recent.rs` says: hints for other processes
) STRICT;

INSERT INTO queue_store (one, seq_mark, time_mark, commits, recent) VALUES (1, 0, 0, 0, x'');

CREATE TABLE queue_name (
  queue  INTEGER PRIMARY KEY,
  name   TEXT    NOT NULL UNIQUE,
  paused INTEGER NOT NULL DEFAULT 0, -- until when: the number of a `Pause`
  -- what a claim has to look at besides: 1 rows in queue_kind, 2 rows in queue_gated, 4 rows in
  -- queue_partition or queue_limit
  marks  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Kinds that are paused, or of which jobs are set aside.
CREATE TABLE queue_kind (
  queue  INTEGER NOT NULL,
  kind   TEXT    NOT NULL,
  paused INTEGER NOT NULL, -- until when: the number of a `Pause`
  PRIMARY KEY (queue, kind)
) STRICT, WITHOUT ROWID;

-- Due jobs that a claim met while their kind was paused, in claim order; they left queue_ready or
-- queue_partition_ready.
CREATE TABLE queue_aside (
  queue    INTEGER NOT NULL,
  kind     TEXT    NOT NULL,
  priority INTEGER NOT NULL,
  run_at   INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (queue, kind, priority, run_at, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue_job (
  key            INTEGER PRIMARY KEY, -- queue << 40 | seq, so that a walk through one queue is a range
  queue          INTEGER NOT NULL,
  id             TEXT    NOT NULL,
  kind           TEXT    NOT NULL,
  priority       INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  run_after      INTEGER NOT NULL, -- run_at, from created_at: mostly a small number; queue_life has the present one
  -- `JobTerms::to_bytes`, for `queue show` to read; none for a plain job. The key of its partition
  -- and a zero byte stand before them if a mark says so: here they take no byte of other jobs
  terms          BLOB,
  -- 1 awaited, 2 has a gate, 4 has a partition, from 8 on its end signals; queue_life.flags has all
  -- but the partition since
  awaited        INTEGER NOT NULL,
  expires_in     INTEGER, -- from created_at, how long it may wait for its start
  tags           TEXT,    -- a line for each; none of them takes a byte, as none of the headers does
  headers        TEXT,    -- a line for each, with a tab between name and value
  content_type   TEXT    NOT NULL, -- a redrive may change it
  payload        BLOB    NOT NULL  -- last, so that reading what stands before it never touches large ones
) STRICT;

CREATE UNIQUE INDEX queue_job_id ON queue_job (queue, id);

CREATE TABLE queue_life (
  seq           INTEGER PRIMARY KEY,
  queue         INTEGER NOT NULL,
  revision      INTEGER NOT NULL,
  state         INTEGER NOT NULL,
  run_after     INTEGER NOT NULL, -- run_at, from created_at of the job
  epoch         INTEGER NOT NULL,
  failures      INTEGER NOT NULL,
  stalls        INTEGER NOT NULL,
  -- 1 cancel requested, 2 awaited, 4 expires no more, 8 has rows in queue_attempt, 16 has a row in
  -- queue_gate; from 32 on its end signals: 0 has none, 1 has sent them, 2 and how many it owes
  flags         INTEGER NOT NULL,
  claimed_after INTEGER, -- the last claim, from run_at: a smaller number than the time; of a retry it is before its run_at
  expires_at    INTEGER,
  worker        TEXT,
  token         BLOB,    -- of the present lease, or of the one that settled_event ended
  settled_event INTEGER,
  reason        INTEGER,
  finished_at   INTEGER,
  purge_at      INTEGER,
  error_name    TEXT,
  error_message TEXT,
  failed_at     INTEGER, -- when that error was charged
  progress      BLOB,
  error_details BLOB,
  result_type   TEXT,
  result        BLOB
) STRICT;

CREATE INDEX queue_life_leased ON queue_life (queue, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX queue_life_finished ON queue_life (queue, purge_at, finished_at) WHERE finished_at IS NOT NULL;
-- What people look for first: Failing, Failed and Cancelled jobs, by the time at which they came
-- into that state. A table, since each write of a life would open an index of it, a partial one
-- too.
CREATE TABLE queue_failure (
  queue INTEGER NOT NULL,
  state INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  PRIMARY KEY (queue, state, at, seq)
) STRICT, WITHOUT ROWID;

-- The last attempts that were charged to a life, in the order of their claims.
CREATE TABLE queue_attempt (
  seq           INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  outcome       INTEGER NOT NULL,
  claimed_at    INTEGER NOT NULL,
  ended_at      INTEGER NOT NULL,
  worker        TEXT    NOT NULL,
  error_name    TEXT    NOT NULL,
  error_message TEXT    NOT NULL,
  PRIMARY KEY (seq, epoch)
) STRICT, WITHOUT ROWID;

-- Jobs by tag. One without tags has no row here.
CREATE TABLE queue_tag (
  queue INTEGER NOT NULL,
  tag   TEXT    NOT NULL,
  seq   INTEGER NOT NULL,
  PRIMARY KEY (queue, tag, seq)
) STRICT, WITHOUT ROWID;

-- Jobs without a partition that were due when they came here, in claim order (I12).
CREATE TABLE queue_ready (
  queue    INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  run_at   INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (queue, priority, run_at, seq)
) STRICT, WITHOUT ROWID;

-- Jobs that wait for their time.
CREATE TABLE queue_scheduled (
  queue  INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  PRIMARY KEY (queue, run_at, seq)
) STRICT, WITHOUT ROWID;

-- Jobs that wait behind a closed gate, by its time-out.
CREATE TABLE queue_gated (
  queue  INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  PRIMARY KEY (queue, run_at, seq)
) STRICT, WITHOUT ROWID;

-- The gates of jobs. Apart from queue_life, since a signal leaves the revision of a job alone: so
-- no settle, which goes by the revision, writes an old count over a new one.
CREATE TABLE queue_gate (
  seq       INTEGER PRIMARY KEY,
  needs     INTEGER NOT NULL, -- as the bits of an unsigned number
  completed INTEGER NOT NULL,
  failed    INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  flags     INTEGER NOT NULL, -- 1 sealed, 2 heeds urgent signals
  closed_at INTEGER -- the epoch
) STRICT;

-- What jobs send at their ends, or have sent, in the order in which they were given.
CREATE TABLE queue_end_signal (
  seq    INTEGER NOT NULL, -- of the sender
  nth    INTEGER NOT NULL,
  target TEXT    NOT NULL, -- an id
  life   INTEGER, -- the seq of the target; none if it was not there when its sender was imported
  flags  INTEGER NOT NULL, -- 1 raises, 2 tolerant, 4 urgent
  PRIMARY KEY (seq, nth)
) STRICT, WITHOUT ROWID;

-- Partitions of which a job waits or is leased, and those with a limit of their own. One that has a
-- job to give and a slot for it has a front: the priority of its next job, whether the number of
-- its leases is limited, and its turn. The others have none of the three.
CREATE TABLE queue_partition (
  queue          INTEGER NOT NULL,
  partition      TEXT    NOT NULL,
  leases         INTEGER NOT NULL, -- how many of its jobs are leased (I25)
  waiting        INTEGER NOT NULL, -- how many of its jobs wait, due or not
  front_priority INTEGER,
  front_limited  INTEGER,
  turn           INTEGER, -- `Turn::as_u64`
  PRIMARY KEY (queue, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_partition_front ON queue_partition (queue, front_limited, front_priority, turn, partition)
WHERE front_priority IS NOT NULL;

-- Jobs of partitions that were due when they came here, also of full ones: in claim order within
-- each (I12), and by the index in that of all together, for listings.
CREATE TABLE queue_partition_ready (
  queue     INTEGER NOT NULL,
  partition TEXT    NOT NULL,
  priority  INTEGER NOT NULL,
  run_at    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (queue, partition, priority, run_at, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_partition_due ON queue_partition_ready (queue, priority, run_at, seq);

-- The limits of queues with their scopes: 0 each partition, 1 the jobs without one, 2 one
-- partition.
CREATE TABLE queue_limit (
  queue     INTEGER NOT NULL,
  scope     INTEGER NOT NULL,
  partition TEXT    NOT NULL, -- empty for the other scopes
  running   INTEGER, -- how many may be leased at once
  weight    INTEGER NOT NULL,
  PRIMARY KEY (queue, scope, partition)
) STRICT, WITHOUT ROWID;

-- The turn that was taken last, and where the jobs without a partition stood then, which take turns
-- as one: of queues with partitions or limits.
CREATE TABLE queue_turn (
  queue         INTEGER PRIMARY KEY,
  present       INTEGER NOT NULL,
  line_priority INTEGER,
  line_turn     INTEGER
) STRICT;

-- How many jobs each queue has per slot: the state's number, 6 for those in queue_scheduled, or 7
-- for those in queue_gated.
CREATE TABLE queue_count (
  queue INTEGER NOT NULL,
  slot  INTEGER NOT NULL,
  jobs  INTEGER NOT NULL,
  PRIMARY KEY (queue, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue_worker (
  id          TEXT    PRIMARY KEY,
  queues      TEXT    NOT NULL, -- one name per line; names contain no control characters
  concurrency INTEGER NOT NULL,
  held        INTEGER NOT NULL,
  host        TEXT    NOT NULL,
  expires_at  INTEGER NOT NULL,
  duty      INTEGER NOT NULL DEFAULT 0, -- what somebody asked of it; only the row of a worker that is gone forgets it
  about       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_worker_expiry ON queue_worker (expires_at);

-- What workers and others say about slots of series; the store does not interpret it.
CREATE TABLE queue_series (
  key        INTEGER PRIMARY KEY,
  series     TEXT    NOT NULL,
  slot       INTEGER NOT NULL,
  writer     TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes      BLOB    NOT NULL,
  UNIQUE (series, slot, writer)
) STRICT;

CREATE INDEX queue_series_expiry ON queue_series (expires_at);
