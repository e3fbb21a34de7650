//! The reference store: jobs in memory, indexed, shared by every handle in the process.
//!
//! It defines what the other stores must do, loses everything with the process, and is the one to
//! test with: give it a [`ManualClock`](queue_core::ManualClock) and own time.
//!
//! [`Engine`] is the plain state behind it: every operation is a pure function of the state, its
//! arguments and the time given, so that a store may journal operations and replay them.
//!
//! No verb scans: claims, settles, lapses and purges go through ordered indexes, each O(log n).
//!
//! ```
//! use queue_core::{ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng, WorkerId};
//! use queue_memory::MemoryStorage;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
//! let store = MemoryStorage::new();
//! let queue = QueueName::new("emails")?;
//! let payload = Payload::new("{}", ContentType::from_static("application/json"));
//! let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
//! store.enqueue(&queue, vec![vec![job]]).await?;
//!
//! let worker = WorkerId::new("me")?;
//! let claimed = store.claim(ClaimRequest::new(queue, worker, 10, Span::from_secs(30), &SystemRng)).await?;
//! assert_eq!(claimed.jobs[0].record.meta.id.as_str(), "welcome-42");
//! # Ok(()) }
//! ```

mod engine;
mod storage;

pub use engine::{Course, Edit, Engine, LimitChanges, PackedJob, Pauses, Rare, Traits};
pub use storage::MemoryStorage;
