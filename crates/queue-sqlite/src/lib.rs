//! A durable job queue in one SQLite file: no server, one dependency, safe to share between the
//! processes of a host.
//!
//! ```
//! use queue_core::{ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng, WorkerId};
//! use queue_sqlite::{SqliteOptions, SqliteStorage};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! let store = SqliteStorage::open(SqliteOptions::new(directory.path().join("jobs.db"))).await?;
//! let queue = QueueName::new("emails")?;
//! let payload = Payload::new("{}", ContentType::from_static("application/json"));
//! let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
//! store.enqueue(&queue, vec![vec![job]]).await?; // flushed to the disk when this answers
//!
//! let worker = WorkerId::new("me")?;
//! let claimed = store.claim(ClaimRequest::new(queue, worker, 10, Span::from_secs(30), &SystemRng)).await?;
//! assert_eq!(claimed.jobs[0].record.meta.id.as_str(), "welcome-42");
//! store.close().await?;
//! # Ok(()) }
//! ```
//!
//! # Threads
//! No SQLite call runs on an async thread, and no runtime is needed. One thread writes: it puts
//! every call that waits into one transaction, and answers after its commit, so that 64 callers
//! share one flush. Two threads read, each on a consistent snapshot that neither waits for the
//! writer nor delays it. The idea of one writer with group commit is that of databases since the
//! 1980s (DeWitt et al., 1984); here it also spares SQLite's own lock, which is first come, first
//! served at best.
//!
//! # Tables and costs
//! A job as it was enqueued is one row that never changes. Its life is another row, which the first
//! claim appends and later steps rewrite. A waiting job has an entry in one of the ordered tables.
//!
//! | table | holds | written |
//! |---|---|---|
//! | `queue_job` | id, kind, terms, tags, headers, payload | once |
//! | `queue_life` | state, lease, counters, errors, result | from the first claim on, with every step |
//! | `queue_ready`, `queue_scheduled` | the order of due jobs, and of those that wait for their time | with every wait |
//! | `queue_kind`, `queue_aside` | paused kinds, and the order of due jobs that claims set aside for them | by pauses of kinds, and by claims that meet a job of one |
//! | `queue_partition` | partitions with unfinished jobs or a limit of their own: how many jobs are leased and wait, and whose turn is when | once per transaction, by what enqueues, claims, settles or removes jobs of one |
//! | `queue_partition_ready` | the order of due jobs in each partition, full or not | with every wait of a job of one |
//! | `queue_limit`, `queue_turn` | limits; the turn that was taken last | by changes of limits; by claims in a queue with partitions |
//! | `queue_gated` | the order of jobs behind closed gates, by time-out | with every wait behind a gate |
//! | `queue_gate` | what a gate needs and has counted | with every signal and raise; by no claim and no heartbeat |
//! | `queue_end_signal` | what jobs send at their ends | once, by jobs that have some |
//! | `queue_failure` | Failing, Failed and Cancelled jobs, by the time of that | with each failure and cancellation |
//! | `queue_tag` | the jobs of each tag | with a job that has tags |
//! | `queue_attempt` | the last ten attempts that were charged to a life | with each failure and stall |
//! | `queue_name`, `queue_count` | a number, the pause and the counters of each queue | counters: once per transaction and state |
//! | `queue_store` | the last `seq`, the highest time, the number of commits, and which queues the last sixteen wrote | once per transaction; the time alone by claims of nothing while the clock is behind it |
//! | `queue_worker` | presence | by announcements |
//! | `queue_series` | entries of series | by each worker once a minute |
//!
//! The row id of `queue_job` is the queue's number and the seq in one, so that the jobs of a queue
//! are a range of it; all else goes by the seq. Three indexes stand beside them: ids, leases by
//! lapse, finished jobs by purge time. So new rows go to the right edge of their tables, or of
//! their queue's part, a claim takes a run of entries off the front, and no row grows in the
//! middle. Times are kept as distances from one another where these are small ([ADR
//! 40](../../../docs/adr/0040-sqlite-keys-by-queue.md)).
//!
//! | verb | cost per job, in B-tree operations |
//! |---|---|
//! | enqueue | two statements, three inserts: row, id, order; rows at the right edge |
//! | claim | one step in the order and one row read; one statement, two inserts: life and lapse; the order is cut once per call |
//! | settle | one statement that finds and rewrites the life, leaves the lapses and enters the purge times; a job that this handle did not claim is read first |
//! | settle with retention `Remove` | two statements, four deletes: life, lapse, row, id |
//! | a failure or a stall | two statements besides: its attempt, and its place among failures |
//! | a job of a partition | besides: two entries in place of one in the order of due jobs, and once per partition and transaction its row, its limit and its next job read, and the row written |
//! | a claim in a queue with partitions | as many entries of open partitions read as it asks for jobs; each job is read, and its entry removed, by statements of its own |
//! | an end signal | three rows read, its target's and the gate, which is written; if it opens, the life and the order too |
//! | get | the id, the row and the life, and the payload and result if asked for |
//! | counts | one look-up per state; a walk over priorities and jobs that became due since the last claim |
//! | attempts | the id, the row and the life, and the attempts if there are any |
//! | list | what it steps through in a range of the table or an index; Processing and held: the leases of the queue |
//! | prune | an index; `FinishedBefore` walks the queue's index of finished jobs |
//!
//! A page of Queued or Completed jobs steps through others of the queue, at most 10,000. A page of
//! due jobs looks besides at all that came due since the last claim of the queue, which has not
//! moved them to the ready ones yet.
//!
//! The handle caches the jobs that it claimed, so that settling them reads nothing. Each write
//! names the revision it is based on and finds no row if another handle has changed the job since;
//! then the row is read and decided upon. The gate of a job is never taken from there, since
//! signals change it and leave the revision alone.
//!
//! Marks in its row say whether a job has a gate or end signals, and marks in the row of a queue
//! whether it has gated jobs at this moment: without them a claim or a settle looks at no table of
//! gates. So it is with partitions: the key of a job stands before its terms if its mark says so,
//! and a queue has a mark while it has partitions or limits. A full partition is in no index that a
//! claim reads, so blocked jobs cost claims nothing.
//!
//! `MIGRATIONS` has the schema as text. The tables may live in a file with tables of the
//! application.
//!
//! # What holds across processes
//! Everything: each write begins with `BEGIN IMMEDIATE`, reads the marks of `seq` and time that the
//! file carries, and decides by [`queue_core::lifecycle`] within the transaction. There are no
//! rules of a job's life in SQL. Subscribers learn of other processes' writes to their queue by
//! file notification or by polling: as [`Hint::Wake`](queue_core::Hint::Wake) if they claim and
//! there is something new to claim, as [`Hint::Missed`](queue_core::Hint::Missed) if they listen to
//! jobs. Writes to other queues of the file reach no subscriber ([ADR
//! 44](../../../docs/adr/0044-idle-means-idle.md)). All processes must run on one host, since
//! write-ahead logging shares memory; a network file system will not do. Two programs under one
//! path have one file: a handle looks once a second, before it answers, whether its files are still
//! those at the path, and answers `Closed` if not. That is three or four calls of `lstat` a second
//! while it is used.
//!
//! # Transactions of the application
//! [`SqliteStorage::enqueue_in`] and its siblings run the same code as the writer on a connection
//! of the application to the same file, which has the write lock meanwhile. Nothing of it is
//! remembered by the handle, since it may be rolled back; what the transaction commits is to the
//! handle as a commit of another process.

#![expect(clippy::doc_markdown, reason = "SQLite is a name, not an item")]

mod body;
mod clock;
mod connect;
mod error;
mod files;
mod gate;
mod key;
mod limit;
mod lock;
mod migrate;
mod options;
mod own_commits;
mod prepare;
#[cfg(test)]
mod query_plans;
mod reader;
mod recent_commits;
mod row;
mod sql;
mod storage;
mod transactions;
mod wakeup;
mod writer;

pub use migrate::{MIGRATIONS, Migration, SCHEMA_TABLE};
pub use options::{Create, SqliteOptions, Synchronous};
pub use rusqlite;
pub use storage::SqliteStorage;
