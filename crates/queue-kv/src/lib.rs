//! A durable job queue over the embedded key-value database that you already have.
//!
//! [`KvStorage`] is a [`queue_core::Storage`] over [`Kv`], a trait that any ordered database with
//! transactions can implement: begin to read or to write, get, scan, put, delete, commit. A driver
//! is about a hundred lines. The store does the rest, with every capability that a store may have:
//! one thread writes, and commits all waiting calls together; hints within the process, pause, the
//! list of queues, attempts, presence, `verify`; and jobs leased by a dropped claim are given back.
//!
//! The code is best read in this order:
//! 1. [`Kv`]: what the database has to do;
//! 2. `keys`: the layout of keys;
//! 3. `view`: what transactions read, and `reader`: the verbs that only read;
//! 4. `writer::transaction`, then `writer::lives`: how writing and removing a job changes keys;
//! 5. the other files of `writer`: one verb each.
//!
//! Absent on purpose: decisions about outcomes, which [`queue_core::lifecycle`] makes; and
//! databases on other hosts, for which each commit is a round trip (ADR 0047 says what those would
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
