//! The parts that need no store: plain traits over any item, for a table, an inbox or a topic that
//! you already have.
//!
//! From the inside out:
//! 1. a [`Source`] hands out items, a [`Handler`] works on one, a [`Sink`] takes what came of it;
//! 2. a [`Processor`] joins the three: each *tick* claims no more than there are free slots,
//!    handles concurrently and marks every outcome, with a time budget for handling and one for
//!    marking; a claim takes as long as its source lets it;
//! 3. a [`PacedLoop`] ticks again at once while full batches come, and ever more rarely while they
//!    do not; ticks of a processor overlap, so that a slow item takes one slot and holds up no
//!    other;
//! 4. a [`Group`] runs such loops, [`Worker`](crate::Worker)s and the program's own parts together,
//!    stops them in reverse order, and answers with the first error.
//!
//! Beside them stand a [`Pool`] for jobs of the program itself, and [`retry`].
//!
//! ```
//! use async_trait::async_trait;
//! use queue_worker::runtime::*;
//! use std::{collections::BTreeMap, convert::Infallible, sync::{Arc, Mutex}};
//! use tokio_util::sync::CancellationToken;
//!
//! /// Your own table: the text of each row, and where it stands.
//! #[derive(Default)]
//! struct Outbox(Mutex<BTreeMap<u32, (String, &'static str)>>);
//!
//! #[derive(Clone)]
//! struct Row { id: u32, text: String }
//!
//! impl Outbox {
//!     fn set(&self, id: u32, status: &'static str) {
//!         self.0.lock().unwrap().get_mut(&id).unwrap().1 = status;
//!     }
//! }
//!
//! #[async_trait]
//! impl Source<Row> for Outbox {
//!     type Error = Infallible;
//!
//!     async fn claim(&self, limit: usize) -> Result<Vec<Row>, Infallible> {
//!         let mut rows = self.0.lock().unwrap();
//!         let new = rows.iter_mut().filter(|(_, (_, status))| *status == "new").take(limit);
//!         Ok(new.map(|(id, (text, status))| { *status = "claimed"; Row { id: *id, text: text.clone() } }).collect())
//!     }
//!
//!     async fn release(&self, rows: &[Row]) -> Result<(), Infallible> {
//!         Ok(rows.iter().for_each(|row| self.set(row.id, "new")))
//!     }
//! }
//!
//! #[async_trait]
//! impl Sink<Row> for Outbox {
//!     type Output = ();
//!     type Failure = &'static str;
//!     type Error = Infallible;
//!
//!     async fn mark_done(&self, row: &Row, _: &()) -> Result<(), Infallible> {
//!         Ok(self.set(row.id, "sent"))
//!     }
//!
//!     async fn mark_failed(&self, row: &Row, _: &ItemError<&'static str>, finality: Finality)
//!         -> Result<(), Infallible>
//!     {
//!         // A real table would count attempts here, and set the time of the next.
//!         Ok(self.set(row.id, if finality == Finality::Terminal { "dead" } else { "new" }))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let outbox = Arc::new(Outbox::default());
//! for (id, text) in [(1, "hello"), (2, ""), (3, "goodbye")] {
//!     outbox.0.lock().unwrap().insert(id, (text.to_owned(), "new"));
//! }
//!
//! let send = handler_fn(|row: Row| async move { if row.text.is_empty() { Err("nothing to send") } else { Ok(()) } });
//! let processor = Processor::builder(outbox.clone(), send, outbox.clone())
//!     .concurrency(2)
//!     .is_terminal(|error| *error == "nothing to send")
//!     .build()?;
//! let sender = PacedLoop::builder(processor).immediate_first_tick().build()?;
//!
//! let stop = CancellationToken::new();
//! let watched = outbox.clone();
//! let stop_when_done = stop.clone();
//! let watcher = tick_fn(move |_| {
//!     let left = watched.0.lock().unwrap().values().any(|(_, status)| matches!(*status, "new" | "claimed"));
//!     if !left { stop_when_done.cancel() }
//!     async { Ok::<_, Infallible>(Pace::Idle) }
//! });
//! let watcher = PacedLoop::builder(watcher).build()?;
//! Group::new().add("sender", sender).add("watcher", watcher).run(stop).await?;
//!
//! let statuses: Vec<_> = outbox.0.lock().unwrap().values().map(|(_, status)| *status).collect();
//! assert_eq!(statuses, ["sent", "dead", "sent"]);
//! # Ok(()) }
//! ```
//!
//! Invariants kept here: an item that was claimed is marked, released or reported, unless its tick
//! was dropped; nothing outlives the future that runs it, so dropping a tick, a loop or a group
//! drops its handlers; and a panic ends no more than the item, the tick or the member in which it
//! happened.
//!
//! Absent on purpose: leases, attempts and their delays, which belong to the source and the sink.

mod group;
mod handler;
mod handler_fn;
mod item_error;
mod paced;
mod panics;
mod pool;
mod processor;
pub mod retry;
#[cfg(feature = "tower")]
mod service_handler;
mod sink;
mod source;

pub(crate) use panics::{caught, guarded};

pub use group::{BoxError, Group, GroupError, Member, MemberFn, member_fn};
pub use handler::Handler;
pub use handler_fn::{HandlerFn, handler_fn};
pub use item_error::{Finality, ItemError};
pub use paced::{Pace, PacedLoop, PacedLoopBuilder, PacedTick, Round, TickFailure, TickFn, tick_fn};
pub use pool::{JobHandle, NotDone, Pool, PoolClosed};
pub use processor::{FailureCause, Processor, ProcessorBuilder, ProcessorEvent, TickReport};
#[cfg(feature = "tower")]
pub use service_handler::{ServiceHandler, service_handler};
pub use sink::{DoneItem, FailedItem, Sink};
pub use source::Source;
