//! What the tests share: a store that misbehaves on request, a rig around it, and the events that
//! it saw.

mod election;
mod events;
mod faulty;
mod probe;
mod rig;
mod starts;

pub(crate) use election::{Election, LEASE_MS, elected, freeze};
pub(crate) use events::Events;
pub(crate) use faulty::Fault;
pub(crate) use probe::{Hints, Log, OnBatch, Probe};
pub(crate) use rig::{Rig, Running, job, router, spawn};
pub(crate) use starts::{Start, Starts, job_of, numbers, times_ms};

use queue_core::{JobId, Span};
use std::time::Duration;

/// Longer than anything a test waits for; on paused time it costs nothing.
pub(crate) const FOREVER: Duration = Duration::from_secs(21_600);

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).expect("test ids are valid")
}

pub(crate) fn span(millis: i64) -> Span {
    Span::from_millis(millis)
}

pub(crate) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
