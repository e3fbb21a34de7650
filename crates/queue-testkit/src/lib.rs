//! The conformance suite: what every store of the queue contract must do, as named cases that
//! anybody can run.
//!
//! A store implements [`queue_core::Storage`]. The suite needs to know how to come by an empty one,
//! which is a [`Harness`], and runs each case on a store of its own. This is the whole of
//! `tests/conformance.rs` of a store's crate, here for the store in memory:
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
//! Then `cargo test` lists and filters the cases as it does any other test:
//! `cargo test --test conformance fencing`, `-- --list`,
//! `-- --exact lease::a_lapse_is_seen_on_the_millisecond`. In front of each name stand the numbers
//! of the invariants that the case would find broken. A new store best works through the groups in
//! the order in which they are listed. Give the harness a [`snapshot`](Harness::snapshot) once it
//! is green, so that no case is lost unseen.
//!
//! # Besides the cases
//!
//! Three more groups of trials come with [`run`], and need nothing from the author of a store:
//!
//! - `matrix::` brings jobs to every state by every way that leads there, and compares every event,
//!   on every sight of the job and around every moment that matters, record by record with
//!   [`queue_core::lifecycle`];
//! - `differential::` compares random batches, verb by verb, with a reference that keeps a plain
//!   list, and opens the store again in between; [`differential()`] does so with any other store;
//! - `history::` runs producers, workers and meddlers at the same time over two handles, with and
//!   without lost calls, and has the recording judged by the checker in [`history`].
//!
//! Random runs are drawn from seeds, the same ones every time. A difference is shrunk, and told
//! with its seed:
//!
//! - `QUEUE_TESTKIT_SEED=7` runs that seed alone;
//! - `QUEUE_TESTKIT_SEEDS=1000` runs so many seeds for each trial, instead of 32.
//!
//! # The parts
//!
//! - [`Harness`] and [`Place`]: what to write; [`EmbeddedHarness`]: ready-made, for a store below a
//!   directory;
//! - [`run`]: what it does; [`collect`]: the same as data;
//! - [`kills()`]: processes that are killed in the middle of a load, for a store that others
//!   reopen;
//! - [`Invariant`]: what the cases check, by number;
//! - [`fault`]: a store that misbehaves on purpose;
//! - [`history`]: recorded runs of several tasks, and the checker that judges them;
//! - `proxy`: faults between a store and its server, with the feature of that name;
//! - [`short`]: short names for a store's own tests.
//!
//! Absent on purpose: sleeping, and assertions on how long something took. Time is a manual clock,
//! and a case that hangs is ended and named. Only a [`Load`](history::Load) goes by real time,
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
