//! A durable job queue over the embedded key-value database that you already have.
//!
//! [`KvStorage`] is a [`queue_core::Storage`] over [`Kv`], a trait that any ordered database with
//! transactions can serve: begin to read or to write, get, scan, put, delete, commit. A driver is
//! about a hundred lines. The store does the rest, and everything that a store may offer: one
//! thread writes, and whatever waits for it goes into one commit; hints within the process, pause,
//! the list of queues, attempts, presence, `verify`, and what a dropped claim leased goes back.
//!
//! Read it in this order:
//! 1. [`Kv`]: what is asked of the database;
//! 2. `keys`: what is stored under which key;
//! 3. `view`: what is read, and `reader`: the verbs that only read;
//! 4. `writer::transaction`, then `writer::lives`: what writing and removing a job means in keys;
//! 5. the other files of `writer`: a verb each.
//!
//! Absent on purpose: everything about outcomes, which [`queue_core::lifecycle`] decides; and
//! databases on other hosts, for which one commit is a round trip (ADR 0047 says what those would
//! need).
//!
//! ```
//! use queue_core::{lifecycle::{Event, Policy}, *};
//! use queue_kv::{KvDatabase, KvStorage, MemoryKv};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> queue_core::Result<()> {
//! let database = KvDatabase::new(MemoryKv::default(), Arc::new(SystemClock));
//! let store = KvStorage::open(database).await?;
//! let queue = QueueName::from_static("mail");
//! let text = |text: &'static str| Payload::new(text, ContentType::from_static("text/plain"));
//! let id = JobId::new("welcome-ada")?;
//! let job = NewJob::new(id, Kind::from_static("email"), text("ada@example.org"));
//! store.enqueue(&queue, vec![vec![job]]).await?;
//!
//! let worker = WorkerId::from_static("worker-1");
//! let request = ClaimRequest::new(queue.clone(), worker, 1, Span::from_secs(30), &SystemRng);
//! let held = store.claim(request).await?.jobs.remove(0);
//! let token = held.token;
//! let done = Event::Complete { token, result: text("sent"), retention: None, then: vec![] };
//! store.settle(&held.record.meta, done, &Policy::default()).await?;
//!
//! assert_eq!(store.counts(&queue).await?.of(State::Completed), 1);
//! store.close().await?;
//! # Ok(())
//! # }
//! ```

mod clock;
mod database;
mod failure;
mod keys;
mod kv;
mod memory;
mod reader;
mod storage;
mod values;
mod view;
mod writer;

pub use database::KvDatabase;
pub use kv::{Kv, KvEntry, KvError, KvRead, KvWrite};
pub use memory::MemoryKv;
pub use storage::KvStorage;
