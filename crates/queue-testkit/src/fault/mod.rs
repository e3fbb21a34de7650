//! A store that misbehaves on purpose, so that code built on [`Storage`](queue_core::Storage) can
//! be tested against what networks and servers do.
//!
//! [`FaultStore`] implements the same trait as the store it wraps. A seeded [`FaultPlan`] decides
//! in advance which calls go wrong and how; [`FaultStore::next`] scripts single calls. A
//! `FaultStore` never invents an answer: it passes on what the store said, or withholds it and
//! reports an error with a truthful [`Certainty`](queue_core::Certainty).
//!
//! ```
//! use queue_core::{Pause, Certainty, QueueName, Storage};
//! use queue_memory::MemoryStorage;
//! use queue_testkit::fault::{Fault, FaultKind, FaultPlan, FaultStore, StorageVerb};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
//! let store = FaultStore::new(Arc::new(MemoryStorage::new()), FaultPlan::new(7));
//! store.next(StorageVerb::SetPaused, 1, &Fault::LoseReply);
//!
//! let queue = QueueName::new("emails")?;
//! let lost = store.set_paused(&queue, None, Pause::UntilResumed).await.expect_err("the reply was lost");
//! assert_eq!(lost.certainty(), Certainty::Unknown);
//! store.set_paused(&queue, None, Pause::UntilResumed).await?; // idempotent, so it is simply sent again
//! assert_eq!(store.tally().of(FaultKind::LoseReply), 1);
//! # Ok(()) }
//! ```

mod dying_store;
#[expect(clippy::module_inception, reason = "the main type of the folder")]
mod fault;
mod fault_counts;
mod gate;
mod hints;
mod injector;
mod overtaken;
mod plan;
mod storage_verb;
mod store;

pub use dying_store::DyingStore;
pub use fault::{Fault, FaultKind, HintFault};
pub use fault_counts::FaultCounts;
pub use gate::Gate;
pub use overtaken::Overtaken;
pub use plan::FaultPlan;
pub use storage_verb::StorageVerb;
pub use store::FaultStore;
