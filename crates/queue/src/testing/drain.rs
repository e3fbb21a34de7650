//! Runs all jobs of a test queue, and moves store time on while they wait.

use super::TestQueue;
use queue_core::JobMeta;
use queue_worker::{JobHandler, WorkerReport};
use std::sync::Arc;

/// How often store time is moved on without a job that ends; after that the jobs are assumed never
/// to end.
const ROUNDS_MAX: u32 = 1000;

/// Runs jobs until none waits, or none may run. A job behind a gate without a time-out has no time
/// to which store time could move on, so it is left there.
pub(super) async fn drained<P, R>(queue: &TestQueue<P, R>, handler: Arc<JobHandler>) -> WorkerReport {
    let mut total = WorkerReport::default();
    let mut rounds_in_vain = 0;
    while rounds_in_vain < ROUNDS_MAX {
        let round = queue.run_shared(handler.clone()).await;
        let ended = round.completed + round.failed + round.cancelled;
        rounds_in_vain = if ended > 0 { 0 } else { rounds_in_vain + 1 };
        add(&mut total, &round);
        let waiting = queue.enqueued().metas().await;
        let now = queue.store().now();
        let comes = |job: &&JobMeta| !(job.is_gated(now) && job.run_at.is_far(now));
        let Some(next) = waiting.iter().filter(comes).map(|job| job.run_at).min() else { return total };
        if next <= now {
            return total; // due, and yet nothing ran: the queue is paused
        }
        queue.advance(next.since(now));
    }
    panic!(
        "no job has ended while time moved on {ROUNDS_MAX} times; there wait {:?}",
        ids(&queue.enqueued().metas().await)
    );
}

fn ids(jobs: &[JobMeta]) -> Vec<&str> {
    jobs.iter().map(|job| job.id.as_str()).collect()
}

fn add(total: &mut WorkerReport, round: &WorkerReport) {
    total.error = total.error.take().or_else(|| round.error.clone());
    for (sum, more) in [
        (&mut total.started, round.started),
        (&mut total.completed, round.completed),
        (&mut total.failing, round.failing),
        (&mut total.failed, round.failed),
        (&mut total.released, round.released),
        (&mut total.cancelled, round.cancelled),
        (&mut total.rescued, round.rescued),
        (&mut total.leases_lost, round.leases_lost),
        (&mut total.abandoned, round.abandoned),
    ] {
        *sum += more;
    }
}
