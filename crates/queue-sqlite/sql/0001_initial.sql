-- Migration 1: the first schema. Runs once per database file, inside the migration's transaction.
--
-- A job is spread over three tables by how often its parts change: queue_job is narrow and rewritten with every step of
-- a life, queue_body is written once, queue_outcome once or twice. All three share the key `seq`.
-- `lane` says which index a job stands in, so that each write touches one index besides the table:
-- 0 ready, 1 scheduled, 2 leased, 3 finished.

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
  lane           INTEGER NOT NULL,
  state          INTEGER NOT NULL,
  revision       INTEGER NOT NULL,
  priority       INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  run_at         INTEGER NOT NULL,
  epoch          INTEGER NOT NULL,
  failures       INTEGER NOT NULL,
  stalls         INTEGER NOT NULL,
  max_attempts   INTEGER NOT NULL, -- 0 is unlimited
  max_stalls     INTEGER NOT NULL, -- 0 is unlimited
  flags          INTEGER NOT NULL, -- 1 cancel requested, 2 awaited, 4 has a row in queue_outcome
  keep_completed INTEGER NOT NULL, -- milliseconds; -1 forever, -2 remove
  keep_failed    INTEGER NOT NULL, -- milliseconds; -1 forever, -2 remove
  expires_at     INTEGER,
  worker         TEXT,
  token          BLOB,
  settled_token  BLOB,
  settled_event  INTEGER,
  reason         INTEGER,
  finished_at    INTEGER,
  purge_at       INTEGER,
  error_name     TEXT,
  error_message  TEXT,
  progress       BLOB
) STRICT;

CREATE UNIQUE INDEX queue_job_id ON queue_job (queue, id);
CREATE INDEX queue_job_ready ON queue_job (queue, priority, run_at) WHERE lane = 0;
CREATE INDEX queue_job_scheduled ON queue_job (queue, run_at) WHERE lane = 1;
CREATE INDEX queue_job_leased ON queue_job (queue, expires_at) WHERE lane = 2;
CREATE INDEX queue_job_finished ON queue_job (queue, purge_at, finished_at) WHERE lane = 3;

CREATE TABLE queue_body (
  seq          INTEGER PRIMARY KEY,
  content_type TEXT NOT NULL,
  payload      BLOB NOT NULL
) STRICT;

CREATE TABLE queue_outcome (
  seq           INTEGER PRIMARY KEY,
  result_type   TEXT,
  result        BLOB,
  error_details BLOB
) STRICT;

-- How many jobs each queue has per slot: the state's number, or 6 for those in the scheduled lane.
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
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_worker_expiry ON queue_worker (expires_at);
