//! The conformance suite: what every store of the queue contract must do, as named cases that anybody can run.
//!
//! A store implements [`queue_core::Storage`]. The suite needs to know how to come by an empty one, which is a
//! [`Harness`], and runs each case on a store of its own. This is the whole of `tests/conformance.rs` of a store's crate,
//! here for the store in memory:
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
//! Then `cargo test` lists and filters the cases as it does any other test: `cargo test --test conformance fencing`,
//! `-- --list`, `-- --exact lease::a_lapse_is_seen_on_the_millisecond`. In front of each name stand the numbers of the
//! invariants that the case would find broken. A new store best works through the groups in the order in which they are
//! listed. Give the harness a [`snapshot`](Harness::snapshot) once it is green, so that no case is lost unseen.
//!
//! - [`Harness`] and [`Place`]: what to write;
//! - [`run`]: what it does;
//! - [`Invariant`]: what the cases check, by number;
//! - [`fault`]: a store that misbehaves on purpose;
//! - [`history`]: recorded runs of several tasks, and the checker that judges them.
//!
//! Absent on purpose: sleeping, and assertions on how long something took. Time is a manual clock, and a case that hangs
//! is ended and named.

mod bench;
mod cases;
pub mod fault;
mod harness;
pub mod history;
mod invariant;
mod runner;

pub use harness::{Facility, Failure, Harness, Place};
pub use invariant::Invariant;
pub use runner::run;
