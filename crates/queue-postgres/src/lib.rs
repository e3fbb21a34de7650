//! A durable job queue in PostgreSQL 13 to 18: jobs in your own transactions, fenced by lease
//! tokens, without bloat.
//!
//! ```no_run
//! use queue_core::{ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng, WorkerId};
//! use queue_postgres::{PostgresOptions, PostgresStorage};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let options = PostgresOptions::new("postgres://app:secret@localhost/shop?schema=jobs")?;
//! let store = PostgresStorage::open(options).await?; // makes its tables, once, whoever else starts now
//! let queue = QueueName::new("emails")?;
//! let payload = Payload::new("{}", ContentType::from_static("application/json"));
//! let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
//! store.enqueue(&queue, vec![vec![job]]).await?; // committed when this answers
//!
//! let worker = WorkerId::new("me")?;
//! let claimed = store.claim(ClaimRequest::new(queue, worker, 10, Span::from_secs(30), &SystemRng)).await?;
//! assert_eq!(claimed.jobs[0].record.meta.id.as_str(), "welcome-42");
//! store.close().await?;
//! # Ok(()) }
//! ```
//!
//! # In your transaction
//! [`PostgresStorage::enqueue_in`] stores jobs in a transaction of yours, so that a job exists if
//! and only if the data that it is about do. [`PostgresStorage::complete_in`] completes a job in
//! the transaction of its handler, so that the handler's writes and the completion commit together;
//! a handler that lost its lease gets that answer and rolls back.
//!
//! # Tables
//! A job is spread over tables by how often its parts change. Its state is one row in exactly one
//! of three narrow tables, and a step of its life deletes the row in one and inserts it into
//! another.
//!
//! | table | holds | written |
//! |---|---|---|
//! | `body` | id, kind, terms, payload | once in a life |
//! | `ready` | what waits | by an enqueue; left by a claim |
//! | `lease` | what runs | by a claim; a heartbeat rewrites it in place and touches no index |
//! | `finished` | what is terminal, with result and error | by a settle; left by a prune |
//! | `queue`, `lane` | a number for each queue, its pause, the priorities it ever used | once each |
//! | `gate`, `end_signal` | gates of jobs, and what jobs signal at their end | for jobs that have some |
//! | `slip` | what came to a gate and is not counted in its row yet | by members; left by a fold |
//! | `clock` | the highest store time that is on record | every second or two |
//! | `worker`, `feed` | presence; who subscribed to everything | by announcements and subscriptions |
//! | `series` | entries of series | by each worker once a minute |
//!
//! The hot tables hold live jobs alone, so they stay small however many jobs were done, and vacuum
//! has little to look at; the migration sets it to come often. The view `job` shows each job in one
//! row. [`schema`] has all of it as plain SQL.
//!
//! # Statements
//! Each verb is one statement and one round trip (two more where a hook or a pooler takes the
//! store's settings away, since a transaction has to bring them): a claim is a materialised `FOR
//! UPDATE SKIP LOCKED`; a batch of jobs or settles arrives as arrays, is checked against its guards
//! under row locks taken in the order of `seq`, and is answered item by item. The most frequent
//! cases, new ids and completions that keep a record, have statements of their own. Several kinds
//! of change in one batch are a statement each; an id that is taken costs a second one. A settle
//! with followers takes a transaction. Statements that lose against others (`40001`, `40P01`) are
//! sent again a bounded number of times. There are no rules of a job's life in SQL: statements
//! compare and patch, and [`queue_core::lifecycle`] says what that amounts to. Concurrent reads of
//! single jobs go out as one.
//!
//! # Time
//! Store time is the server's `clock_timestamp()`, never behind the mark in the table `clock`, nor
//! behind what this handle learned and has measured since, at 63/64 of real time. While the clock
//! is healthy the mark is written every two or three seconds, since all writers would meet at it.
//! While it is behind store time (it stepped back, or a failover led to a host whose clock is
//! behind), each write has the mark written before it is decided. Between a step back and the first
//! answer that shows it, another handle may get a time that is earlier by as much as the mark
//! lagged.
//!
//! # Large payloads
//! A claim stops at the bytes that were asked for: the size of a payload stands in its row of
//! `ready`. Rows that it looked at and left are locked until its answer is sent, and other claims
//! pass over them. A call is given up for its silence, not for its length: each row of an answer
//! counts as a sign of life.
//!
//! # Claims under an old snapshot
//! Somebody's long transaction keeps dead rows from being removed, and claims would wade through
//! all that was ever claimed since. When looking from the start takes longer than 10 ms because of
//! that, most claims begin two seconds of due time before what was claimed last. Until the next
//! look from the start, a second or a few later, such claims may pass over a job that came to lie
//! further in front: one of a transaction that took longer than two seconds to commit, or one that
//! another process gave back. `next_due` says when to ask again.
//!
//! # Wake-ups
//! A statement that makes jobs claimable sends one `NOTIFY` for each queue, and one line for each
//! awaited job that ended; every change is sent only of queues with a
//! [follower](queue_core::Interest::All) at the time. One connection per handle and runtime
//! listens, asks the server for a sign of life, and is replaced when there is none; then all
//! subscribers read again. Polling stands behind it all.
//!
//! # Connections
//! Calls share a pool, heartbeats have another that nothing else takes, and one connection listens.
//! Between two calls a connection goes straight from one to the next. All sessions are
//! `READ COMMITTED` under any default, and the server ends one whose client takes nothing for a
//! minute, such as a stopped process.
//!
//! # Runtime
//! A handle belongs to no tokio runtime. Each runtime that calls it has connections of its own, as
//! many as another, and listens by itself once it subscribes. So one that stands still, since a
//! task blocks its thread or nothing drives it, such as one with the flavor `current_thread`
//! outside of `block_on`, holds up its own calls alone. With a runtime go its connections, the
//! calls that are under way on it, and its streams of hints.
//!
//! # PgBouncer
//! With [`Pooler::Transactions`] nothing outlives a transaction: no listening, no prepared
//! statement, no setting. Writes of other processes are then found by polling.
//!
//! # What it costs
//! Measured by `examples/measure` with small payloads and batches of 500 over one connection: about
//! 900 bytes on disk and 1,550 bytes of write-ahead log for a job from enqueue to kept result.
//!
//! # Absent on purpose
//! Rules of a job's life in SQL, advisory locks outside of the migration and of jobs that replace
//! waiting ones, foreign keys, triggers, extensions other than PL/pgSQL, which every database has:
//! one function raises an error of our own.

mod batched;
mod call;
mod claim_floors;
mod clock;
mod connection;
mod error;
mod fold_schedule;
mod gate_crowds;
mod handle;
mod identity;
mod line_memory;
mod migrate;
mod name_cache;
mod open;
mod options;
mod row;
mod schema;
mod statements;
mod storage;
mod tls;
mod transactions;
mod url;
mod verb_error;
mod verbs;
mod wakeup;

pub use migrate::{MIGRATIONS, Migration, schema, schema_down};
pub use options::{Listen, Migrations, Pooler, PostgresOptions};
pub use schema::DEFAULT_SCHEMA;
pub use sqlx;
pub use storage::PostgresStorage;
