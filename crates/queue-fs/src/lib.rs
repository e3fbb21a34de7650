//! A durable job queue in a directory: no server, no C library, safe to share between the processes
//! of a host.
//!
//! ```
//! use queue_core::{ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng, WorkerId};
//! use queue_fs::{FsOptions, FsStorage};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! let store = FsStorage::open(FsOptions::new(directory.path().join("jobs"))).await?;
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
//! # Files
//! The store is a journal: numbered segments of records with a checksum each, to which changes are
//! appended. It is circular: live jobs of the oldest segment are relocated to its end, a few with
//! each write (compaction), and then the segment is removed. So there are no snapshots, no second
//! format, and never two files that must change together. The state in memory is the engine of
//! `queue-memory`, rebuilt by replaying the journal. `docs/FILE-FORMAT.md` has every byte.
//!
//! The idea of a log that cleans itself is that of Rosenblum and Ousterhout (1991).
//!
//! # Costs
//! | | |
//! |---|---|
//! | a write | one `write` and one `fdatasync`, shared by all calls that wait, of about 150 bytes a job and its payload |
//! | a read | no file, unless the payload or the result is not in memory |
//! | memory | in each handle about half a KiB for each job that waits, 250 bytes more once it was claimed, and payloads and results up to [a budget](FsOptions::memory_budget_bytes) |
//! | disk | as a rule at most twice the bytes of the jobs, and at most three times; a few segments of 4 MiB, and 8 MiB of reserve; see [`FsUsage`] |
//! | opening | the whole journal is read, about 200 MB a second, while others go on writing |
//!
//! # Threads
//! No file is touched on an async thread, and no runtime is needed. One writer thread collects all
//! waiting calls, runs them on the engine, writes their changes as one record, and answers once
//! that record is durable. Reads go the same way, so under a load of writes a read takes as long as
//! a flush.
//!
//! # What holds across processes
//! Everything holds. A writer holds the lock while it reads what others wrote, appends and flushes,
//! and the kernel lets go of it when the process dies. No handle acts on a record that is less
//! durable than it promises. Subscribers learn of other processes' writes to their queue by file
//! notification or by polling: as [`Hint::Wake`](queue_core::Hint::Wake) if they claim and there is
//! something new to claim, as [`Hint::Missed`](queue_core::Hint::Missed) if they listen to jobs.
//! Writes to other queues reach no subscriber ([ADR
//! 44](../../../docs/adr/0044-idle-means-idle.md)).
//!
//! # When things go wrong
//! - A crash in the middle of a write leaves a torn end, which the next writer cuts off; no caller
//!   got the answer that this write succeeded.
//! - Damage anywhere else is an error of kind `Corrupt` with file and offset. [`check`] shows all
//!   of it, [`repair`] saves the rest and takes the store from the programs that have it open.
//! - After a failed flush the contents of the disk are unknown: the handle answers `Closed` from
//!   then on, and the next handle that opens the store writes and flushes the records in question
//!   once more.
//! - A handle whose lock file was moved or removed, or whose store was repaired, answers `Closed`
//!   from then on and says why: other processes may go on without it, and it may lose a write of
//!   theirs that it has not read.
//! - On a full disk new jobs are refused with `Unavailable`, nothing of them applied. Claims,
//!   settles and removals go on in reserved space, and new jobs are accepted again once there is
//!   space.
//!
//! # Absent on purpose
//! Hosts that share a directory over a network, since locks and flushes mean less there; and
//! systems other than Unix.

mod connect;
mod error;
mod flusher;
mod format;
mod fsck;
mod journal;
mod options;
mod state;
mod storage;
#[doc(hidden)]
pub mod sys;
mod usage;
mod wakeup;
mod writer;

pub use error::Damage;
pub use fsck::{CheckReport, DumpEntry, DumpPart, FileReport, check, dump, repair};
#[doc(hidden)]
pub use fsck::{check_in, repair_in};
pub use options::{Create, Flush, FsOptions};
#[doc(hidden)]
pub use state::encode;
pub use storage::FsStorage;
pub use usage::FsUsage;
