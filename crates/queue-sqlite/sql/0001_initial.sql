-- Migration 1: the first schema. Runs once per database file, inside the migration's transaction.
--
-- A row of `queue_job` is a job as it was enqueued, and hardly ever changes. `queue_life` says what became of it, from the
-- first claim or other change on; a job without a row there is as it was enqueued: Queued, at revision 1, never claimed.
-- So rows are appended where they stay, and a change rewrites a small row beside its neighbours of the same claim.
-- A waiting job stands besides in exactly one of `queue_ready` and `queue_scheduled`, which are nothing but their order.

CREATE TABLE queue_store (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  seq_mark  INTEGER NOT NULL, -- the last seq given out; never reused (I2)
  time_mark INTEGER NOT NULL, -- the highest store time ever answered with a write (I24)
  commits   INTEGER NOT NULL  -- write transactions so far, by all processes
) STRICT;

INSERT INTO queue_store (one, seq_mark, time_mark, commits) VALUES (1, 0, 0, 0);

CREATE TABLE queue_name (
  queue  INTEGER PRIMARY KEY,
  name   TEXT    NOT NULL UNIQUE,
  paused INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE queue_job (
  seq            INTEGER PRIMARY KEY,
  queue          INTEGER NOT NULL,
  id             TEXT    NOT NULL,
  kind           TEXT    NOT NULL,
  priority       INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  run_at         INTEGER NOT NULL, -- of the first run; queue_life has the present one
  max_attempts   INTEGER NOT NULL, -- 0 is unlimited
  max_stalls     INTEGER NOT NULL, -- 0 is unlimited
  keep_completed INTEGER NOT NULL, -- milliseconds; -1 forever, -2 remove
  keep_failed    INTEGER NOT NULL, -- milliseconds; -1 forever, -2 remove
  awaited        INTEGER NOT NULL, -- when it was enqueued; queue_life.flags has it since
  expires_in     INTEGER, -- from created_at, how long it may wait for its start
  time_limit     INTEGER, -- of its handler
  on_failure     TEXT,    -- the kind of the job that follows its final failure
  content_type   TEXT    NOT NULL, -- a redrive may change it
  payload        BLOB    NOT NULL  -- last, so that reading what stands before it never touches large ones
) STRICT;

CREATE UNIQUE INDEX queue_job_id ON queue_job (queue, id);

CREATE TABLE queue_life (
  seq           INTEGER PRIMARY KEY,
  queue         INTEGER NOT NULL,
  revision      INTEGER NOT NULL,
  state         INTEGER NOT NULL,
  run_at        INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  failures      INTEGER NOT NULL,
  stalls        INTEGER NOT NULL,
  flags         INTEGER NOT NULL, -- 1 cancel requested, 2 awaited, 4 expires no more
  expires_at    INTEGER,
  worker        TEXT,
  token         BLOB,    -- of the present lease, or of the one that settled_event ended
  settled_event INTEGER,
  reason        INTEGER,
  finished_at   INTEGER,
  purge_at      INTEGER,
  error_name    TEXT,
  error_message TEXT,
  progress      BLOB,
  error_details BLOB,
  result_type   TEXT,
  result        BLOB
) STRICT;

CREATE INDEX queue_life_leased ON queue_life (queue, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX queue_life_finished ON queue_life (queue, purge_at, finished_at) WHERE finished_at IS NOT NULL;

-- Jobs that were due when they came here, in claim order (I12).
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

-- How many jobs each queue has per slot: the state's number, or 6 for those in queue_scheduled.
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
  running     INTEGER NOT NULL,
  host        TEXT    NOT NULL,
  expires_at  INTEGER NOT NULL,
  duty      INTEGER NOT NULL DEFAULT 0, -- what somebody asked of it; only the row of a worker that is gone forgets it
  about       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_worker_expiry ON queue_worker (expires_at);
