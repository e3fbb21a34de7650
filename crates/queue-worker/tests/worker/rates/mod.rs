//! Rate limits of queues and of kinds: what may start in any window of time, and how that affects
//! other jobs.

mod of_kinds;
mod of_queues;
mod windows;

use crate::support::{Start, job_of};
use queue_core::{NewJob, QueueName};
use queue_worker::{RateLimit, WorkQueue};
use std::time::Duration;

fn limited() -> QueueName {
    QueueName::from_static("limited")
}

fn free() -> QueueName {
    QueueName::from_static("free")
}

fn ten_per_second() -> WorkQueue {
    WorkQueue::new(limited()).rate_limit(RateLimit::per_second(10).burst(3))
}

/// Jobs of one kind, numbered in order, each with the same payload or with its number.
fn jobs(kind: &'static str, count: u32, payload: Option<u32>) -> impl Iterator<Item = NewJob> {
    (0..count).map(move |n| job_of(kind, &format!("{kind}-{n}"), payload.unwrap_or(n)))
}

/// Checks every window from one start to another.
fn assert_within(what: &str, starts: &[Start], per_period: u32, period: Duration, burst: u32) {
    for (first, from) in starts.iter().enumerate() {
        for (last, to) in starts.iter().enumerate().skip(first) {
            let brought = to.at.abs_diff(from.at).as_nanos() * u128::from(per_period) / period.as_nanos();
            let (count, most) = (last - first + 1, u128::from(burst) + brought);
            assert!(count as u128 <= most, "{what}: {count} starts from {:?} to {:?}", from.at, to.at);
        }
    }
}
