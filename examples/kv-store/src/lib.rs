//! A job queue over the key-value store you already have.
//!
//! [`KvStorage`] is a [`queue_core::Storage`] over [`Kv`], a trait of three verbs that most ordered stores with
//! transactions can serve. Two drivers come with it: [`MemoryKv`], a map, and [`RedbKv`], an embedded database in one
//! file. It was written from the documentation of `queue-core` alone, to show what that takes; the walk-through is
//! `docs/WRITING-A-STORE.md`.
//!
//! Read it in this order:
//! 1. [`Kv`]: what is asked of the key-value store, and why not less;
//! 2. `keys`: what is stored under which key;
//! 3. `transaction`: reads that are remembered, writes that wait, and one commit;
//! 4. `lives`: what reading, writing and removing a job means in keys;
//! 5. `verbs`: each verb of the contract as one transaction.
//!
//! Absent on purpose: presence, pause and hints, which the contract lets a store leave out, and everything about
//! outcomes, which [`queue_core::lifecycle`] decides.
//!
//! ```
//! use kv_store_example::{KvStorage, MemoryKv};
//! use queue_core::*;
//! use queue_core::lifecycle::{Event, Policy};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> queue_core::Result<()> {
//! let store = KvStorage::new(Arc::new(MemoryKv::default()), Arc::new(SystemClock));
//! let queue = QueueName::from_static("mail");
//! let text = |text: &'static str| Payload::new(text, ContentType::from_static("text/plain"));
//! let job = NewJob::new(JobId::new("welcome-ada")?, Kind::from_static("email"), text("ada@example.org"));
//! store.enqueue(&queue, vec![vec![job]]).await?;
//!
//! let worker = WorkerId::from_static("worker-1");
//! let request = ClaimRequest::new(queue.clone(), worker, 1, Span::from_secs(30), &SystemRng);
//! let held = store.claim(request).await?.jobs.remove(0);
//! let done = Event::Complete { token: held.token, result: text("sent"), retention: None, then: vec![] };
//! store.settle(&held.record.meta, done, &Policy::default()).await?;
//!
//! assert_eq!(store.counts(&queue).await?.of(State::Completed), 1);
//! # Ok(())
//! # }
//! ```

mod attempt;
mod keys;
mod kv;
mod lives;
mod row;
mod storage;
mod store_clock;
mod transaction;
mod verbs;
mod verify;

pub use kv::{Check, Key, Kv, MemoryKv, Outcome, RedbKv, Versioned, Write};
pub use storage::KvStorage;
