//! Durable background jobs: a typed client over a store of your choice, waits for results, and
//! workers.
//!
//! # A program
#![cfg_attr(all(feature = "worker", feature = "memory", feature = "json"), doc = "```")]
#![cfg_attr(not(all(feature = "worker", feature = "memory", feature = "json")), doc = "```ignore")]
//! use queue::prelude::*;
//! use serde::{Deserialize, Serialize};
//! use std::time::Duration;
//!
//! #[derive(Serialize, Deserialize)]
//! struct Email {
//!     to: String,
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let storage = open("memory:").await?; // or "sqlite:jobs.db", for this and other processes
//!     let emails: Queue<Email, String> = Queue::new(storage, "emails")?;
//!
//!     let worker = emails.work_with(|email, _| async move { Ok(format!("sent to {}", email.to)) }).build()?;
//!     tokio::spawn(worker.run()); // in a process of its own: `worker.run_until(shutdown_signal()).await`
//!
//!     let email = Email { to: "ada@example.org".to_owned() };
//!     let receipt = emails.enqueue_and_wait("welcome-ada", email, Duration::from_secs(30)).await?;
//!     assert_eq!(receipt, "sent to ada@example.org");
//!     Ok(())
//! }
//! ```
//!
//! # What is promised
//! Delivery is at least once: a job whose worker dies runs again, so handlers must be idempotent.
//! At any moment a job has at most one live lease, a worker that has lost its lease can change
//! nothing, and no acknowledged job is lost.
//!
//! # Guide
//! - **Enqueue.** [`Queue::enqueue`] takes an [`Id`]: the producer's own, which is then the
//!   deduplication key; a generated one; or one derived from the content. [`JobOptions`] hold
//!   delay, priority, budgets and retention; a [`JobKind`] ties the kind of a job to the types of
//!   its payload and its result. The answer, [`Enqueued`], says whether the job was accepted, is
//!   there already, or is done, with its result.
//! - **Wait.** [`Queue::enqueue_and_wait`] is a call: it returns a result or a typed [`WaitError`].
//!   [`Queue::wait`] returns the [`Outcome`] of a job that is there. Both end at a deadline,
//!   whatever the store does, and depend only on the stored record: hints of the store make them
//!   quicker, and are not needed for a correct answer.
//! - **Look and change.** [`Queue::status`], [`result`](Queue::result), [`cancel`](Queue::cancel),
//!   [`redrive`](Queue::redrive), [`promote`](Queue::promote), [`delete`](Queue::delete),
//!   [`set_retention`](Queue::set_retention), [`counts`](Queue::counts), [`jobs`](Queue::jobs),
//!   [`prune`](Queue::prune) and [`pause`](Queue::pause). [`progress`](Queue::progress) reads the
//!   reports of a running handler, and [`events`](Queue::events) follows all changes of a queue,
//!   for people to look at. Outcomes that a correct program meets in normal work (a duplicate, a
//!   missing job, a lost lease) are answers; the [`kind`](Error::kind) of an [`Error`] says what to
//!   do.
//! - **Find out what is wrong.** The module `doctor` (feature `worker`) looks at the health of a
//!   store and says what to do.
//! - **Batches.** `Queue::batch` (feature `worker`) opens a batch: many jobs, and callbacks once
//!   all of them have ended.
//! - **Work.** The module `worker` (feature `worker`) runs many jobs at once and keeps their leases
//!   alive. Pull mode takes one job at a time:
//!
#![cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#![cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
//! use queue::prelude::*;
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
//! let thumbnails: Queue<String, u64> = Queue::new(open("memory:").await?, "thumbnails")?;
//! let accepted = thumbnails.enqueue(Id::OfContent, "ada.png".to_owned()).await?;
//!
//! while let Some(job) = thumbnails.dequeue(Duration::from_millis(10)).await? {
//!     match job.payload().len() {
//!         0 => job.nack(Failure::new("NoName", "a picture needs a name")).await?,
//!         size => job.ack(&(size as u64)).await?,
//!     };
//! }
//! assert_eq!(thumbnails.result(accepted.id()).await?, Some(7));
//! # Ok(()) }
//! ```
//!
//! # Stores and features
//! [`open`] takes a URL. A store can also be made by hand and given to [`Queue::new`] as an
//! `Arc<dyn Storage>`.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `memory` | yes | `memory:`, jobs in this process |
//! | `sqlite` | yes | `sqlite:PATH`, jobs in one file, for all processes of a host |
//! | `fs` | no | `file:DIRECTORY`, jobs in a directory, for all processes of a host; on Unix |
//! | `postgres` | no | `postgres://...`, jobs in a PostgreSQL database, and in your transactions |
//! | `redis` | no | `redis://...`, jobs in a Redis or Valkey server, Cluster and Sentinel too |
//! | `remote` | no | `https://...`, a store behind a server |
//! | `tls` | no | encrypted connections to Postgres, Redis and remote stores, by rustls |
//! | `worker` | yes | the modules `worker` and `batches`, and `Queue::worker` |
//! | `schedules` | yes | the module `schedules`: jobs at times of a calendar |
//! | `service` | no | the module `service`: a worker over the protocol of `queue serve` |
//! | `json` | yes | the codec `Json`, which is then the default |
//! | `msgpack` | no | the codec `MsgPack` |
//! | `uuid` | no | a `Uuid` as a job id |
//! | `opentelemetry` | no | traces across jobs: a W3C trace context from the span of an enqueue, and a span for each attempt |
//! | `tower` | no | handlers that are `tower` services |
//! | `testing` | no | the module `testing`, for tests of applications |
//! | `full` | no | all of these features |
//!
//! Features only add to the crate. Without `json` a queue needs a codec that is set on its builder.
//!
//! # Runtime
//! Waiting and pull mode need a tokio runtime with time enabled. They measure time with tokio's
//! clock, so tests can pause it.

#[cfg(feature = "worker")]
pub mod batches;
mod client;
mod copy;
#[cfg(feature = "worker")]
pub mod doctor;
mod hints;
mod open;
#[cfg(feature = "worker")]
pub mod operations;
pub mod prelude;
mod pull;
#[cfg(feature = "schedules")]
pub mod schedules;
mod spawn;
#[cfg(feature = "testing")]
pub mod testing;
mod traced;
#[cfg(any(feature = "schedules", feature = "worker"))]
mod unreadable_job;
mod wait;

pub use client::*;
pub use copy::{CopyPhase, CopyProgress, CopyReport, FinishedCopy, HeldJobs, JobTally, QueueCopy, StoreCopy};
pub use open::{open, store_path};
pub use pull::{Delivery, Extended, Nack, Settled};
pub use queue_core::{
    Budget, Capabilities, Certainty, Clock, ContentType, Counts, Cursor, Error, ErrorKind, Exponential,
    FailedJob, Failure, IdSource, InvalidName, JobId, JobKind, JobMeta, Keep, Kind, LeaseToken, Limits,
    ListFilter, ManualClock, NamesKind, NewJob, OnFailed, OnWaiting, Page, Payload, Prune, QueueName, Reason,
    Result, RetryPolicy, Rng, SeededRng, Seq, State, Storage, StorageExt, SystemClock, SystemRng,
    TimeOrderedIds, Timestamp, WorkerId,
    lifecycle::{OnProcessing, Policy, Unhandled},
    series::{QueueSeries, SlotLength, TimeHistogram, WorkCounts, WorkOutcome},
};
#[cfg(feature = "fs")]
pub use queue_fs::{self, FsOptions, FsStorage};
#[cfg(feature = "memory")]
pub use queue_memory::MemoryStorage;
#[cfg(feature = "postgres")]
pub use queue_postgres::{self, PostgresOptions, PostgresStorage, sqlx};
#[cfg(feature = "redis")]
pub use queue_redis::{self, RedisOptions, RedisStorage};
#[cfg(feature = "remote")]
pub use queue_remote::{self, RemoteOptions, RemoteStorage};
#[cfg(feature = "json")]
pub use queue_serde::Json;
#[cfg(feature = "msgpack")]
pub use queue_serde::MsgPack;
pub use queue_serde::{Codec, CodecContext, CodecError, Decode, Encode, Raw, Role};
#[cfg(feature = "service")]
pub use queue_service as service;
#[cfg(feature = "sqlite")]
pub use queue_sqlite::{SqliteOptions, SqliteStorage, rusqlite};
/// What people and programs see of a queue, as a crate.
pub use queue_view as view;
#[cfg(feature = "worker")]
pub use queue_worker as worker;
pub use traced::Traced;
#[cfg(any(feature = "schedules", feature = "worker"))]
pub use unreadable_job::UnreadableJob;
pub use wait::{Outcome, WaitError, WaitOptions};
/// The contract of a store, and the codecs, as crates.
pub use {queue_core, queue_serde};

/// The README's program is compiled with the tests.
#[cfg(all(doctest, feature = "json", feature = "sqlite", feature = "worker"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
