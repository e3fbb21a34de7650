//! Several queues on one worker: how they share it, and that each queue's work is done.

mod ending;
mod shares;
mod slow;
mod together;
mod trouble;
mod waking;

use crate::support::{Rig, job, span};
use queue_core::{ClaimRequest, NewJob, QueueName, Storage, WorkerId};
use queue_worker::WorkQueue;

fn a() -> QueueName {
    QueueName::from_static("a")
}

fn b() -> QueueName {
    QueueName::from_static("b")
}

fn c() -> QueueName {
    QueueName::from_static("c")
}

fn jobs(count: u32) -> impl Iterator<Item = NewJob> {
    (0..count).map(|n| job(&n.to_string(), n))
}

fn weighted(queues: &[(QueueName, u32)]) -> Vec<WorkQueue> {
    queues.iter().map(|(name, weight)| WorkQueue::new(name.clone()).weight(*weight)).collect()
}

/// The queues with equal weights.
fn evenly<const N: usize>(queues: [QueueName; N]) -> [WorkQueue; N] {
    queues.map(WorkQueue::new)
}

/// Claims a job as another worker, which then goes silent.
async fn claim_elsewhere(rig: &Rig, queue: &QueueName, lease_ms: i64) {
    let other = WorkerId::from_static("elsewhere");
    let request = ClaimRequest::new(queue.clone(), other, 1, span(lease_ms), &*rig.rng);
    assert_eq!(rig.store.claim(request).await.expect("the probe claims").jobs.len(), 1);
}
