//! The jobs under lease, from their claim until their outcome is durable.
//!
//! In come claimed jobs, from `claim`. Here they are counted against the slots, and the heartbeat
//! keeps their leases alive and asks a handler to stop whose lease is lost. Jobs leave once
//! `settle` has stored their outcome, or the worker gives them up. Both free a slot, which is
//! signalled to `claim`.

mod claim_details;
mod clock_reading;
mod heartbeat;
mod held_job;
mod held_job_state;
mod held_jobs;
mod lease;
mod time_limit;

pub(crate) use held_job::HeldJob;
pub(crate) use lease::Lease;

pub(super) use claim_details::ClaimDetails;
pub(super) use clock_reading::ClockReading;
pub(super) use heartbeat::{beat_interval, extend_soon, keep_leases};
pub(super) use held_jobs::{HeldJobTable, HeldJobs};
pub(super) use time_limit::Overrun;
