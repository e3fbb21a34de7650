//! The conformance suite: what every store of the queue contract must do, as named cases that the
//! author of any store can run.
//!
//! A store implements [`queue_core::Storage`]. The suite runs each case on an empty store of its
//! own, which it gets from a [`Harness`]. This is the whole of `tests/conformance.rs` in a store's
//! crate, here for the store in memory:
//!
//! ```standalone_crate
//! use async_trait::async_trait;
//! use queue_core::{Clock, Storage};
//! use queue_memory::MemoryStorage;
//! use queue_testkit::{Facility, Failure, Harness, Place};
//! use std::{process::ExitCode, sync::Arc};
//!
//! fn main() -> ExitCode {
//!     queue_testkit::run("memory", MyHarness)
//! }
//!
//! struct MyHarness;
//!
//! #[async_trait]
//! impl Harness for MyHarness {
//!     async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
//!         Ok(Box::new(MyPlace(MemoryStorage::with_clock(clock))))
//!     }
//!
//!     fn facilities(&self) -> &[Facility] {
//!         &[Facility::SecondHandle]
//!     }
//! }
//!
//! #[derive(Debug)]
//! struct MyPlace(MemoryStorage);
//!
//! #[async_trait]
//! impl Place for MyPlace {
//!     async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
//!         Ok(Arc::new(self.0.another_handle()))
//!     }
//! }
//! ```
//!
//! In `Cargo.toml` the test has a `main` of its own:
//!
//! ```toml
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! `cargo test` then lists and filters the cases as it does any other test: `cargo test --test
//! conformance fencing`, `-- --list`, `-- --exact lease::a_lapse_is_seen_on_the_millisecond`. Each
//! name is preceded by the numbers of the invariants that the case checks. The author of a new
//! store best works through the groups in the order in which they are listed. Once the suite is
//! green, the harness should name a [`snapshot`](Harness::snapshot), so that no case is lost
//! unnoticed.
//!
//! # Besides the cases
//!
//! [`run`] adds three groups of trials that need nothing from the author of a store:
//!
//! - `matrix::` brings jobs to every state by every path that leads there, tries every event on
//!   every version of the job that a caller may have read and around every moment that matters, and
//!   compares each record with [`queue_core::lifecycle`];
//! - `differential::` compares random batches, verb by verb, with a reference that keeps a plain
//!   list, and opens the store again in between; [`differential()`] does so with any other store;
//! - `history::` runs producers, workers and meddlers concurrently over two handles, with and
//!   without lost calls; the checker in [`history`] judges the recording.
//!
//! Random runs use the same seeds every time. A difference is shrunk and reported with its seed:
//!
//! - `QUEUE_TESTKIT_SEED=7` runs that seed alone;
//! - `QUEUE_TESTKIT_SEEDS=1000` runs 1000 seeds for each trial instead of 32.
//!
//! `QUEUE_TESTKIT_SHARD=2/3` runs the second of three parts that together are the suite.
//!
//! `QUEUE_TESTKIT_CHANGES=10000` sends so many changes of each verb beside a producer that replaces
//! the job, instead of 40, and prints the answers: `-- beside_replacements`.
//!
//! # The parts
//!
//! - [`Harness`] and [`Place`]: the traits to implement; [`EmbeddedHarness`]: a ready-made harness
//!   for a store that keeps its data below a directory;
//! - [`run`]: the suite as a test binary; [`collect`]: the same outcomes as data;
//! - [`kills()`]: processes that are killed in the middle of a load, for a store whose data another
//!   process can open;
//! - [`Invariant`]: the invariants that the cases check, by number;
//! - [`fault`]: a wrapper that injects faults into any store;
//! - [`history`]: recorded runs of several tasks, and the checker that judges them;
//! - `proxy`: faults between a store and its server (feature `proxy`);
//! - [`short`]: short names for a store's own tests.
//!
//! Absent on purpose: sleeping, and assertions on how long something took. Time is a manual clock,
//! and a case that hangs is ended and named. Only a [`Load`](history::Load) runs in real time,
//! since servers do.

mod bench;
mod cases;
mod differential;
pub mod fault;
mod harness;
pub mod history;
mod invariant;
mod kills;
mod matrix;
#[cfg(feature = "proxy")]
pub mod proxy;
mod runner;
mod search;
mod seeds;
pub mod short;
mod twin;
mod watch;

pub use differential::differential;
pub use harness::{CallersTransaction, EmbeddedHarness, Facility, Failure, Harness, Place};
pub use invariant::Invariant;
pub use kills::{Kills, kills};
pub use runner::{CaseOutcome, CaseReport, Selection, collect, run};
pub use seeds::seeds;
