//! The parts of an attempt, for workers that get their jobs by another way than a store, such as
//! from a service: the context of a handler, its time limit, its panics, and the event that its
//! answer means.
//!
//! Such a worker claims, sends heartbeats and settles itself. For each job it makes a
//! [`HostedJob`], [runs](HostedJob::run) a handler for it, and settles the
//! [`Event`](queue_core::lifecycle::Event) that comes out. Handlers do not see the difference: a
//! [`Router`](crate::Router) serves both.
//!
//! Absent on purpose: hooks, rate limits and reserved jobs, which belong to a
//! [`Worker`](crate::Worker).

mod hosted_job;
mod hosted_lease;
mod hosted_run;

pub use crate::worker::watch::host_name;
pub use hosted_job::{Heartbeat, HostedJob};
pub use hosted_lease::HostedLease;
pub use hosted_run::{HostedEnd, HostedRun};
