//! The loops in which every queue is measured, so that no peer is timed by code of its own.
//!
//! A peer implements [`Peer`] and [`Producer`] over its library and calls [`main`]. Its process
//! makes one measurement of an empty store and prints one line of JSON; `cargo xtask peers` starts
//! the processes, empties the stores and puts the lines together. `node/common.mjs` is the same for
//! libraries of Node.

mod handler;
mod job;
mod peer;
mod process;
mod report;
mod setup;
mod workload;

pub use crate::handler::{handled, run_worker};
pub use crate::job::{JOB_BYTES, Job};
pub use crate::peer::{NotOffered, Peer, Producer};
pub use crate::process::main;
pub use crate::setup::{Profile, Setup};
pub use crate::workload::Workload;
