//! Removes records past their purge time.

use super::{prune_tick::PRUNE_MAX, repeat};
use crate::worker::run::WorkerRun;
use futures_util::future::join_all;
use queue_core::{Prune, PruneRequest, QueueName};
use std::sync::Arc;

/// Prunes each queue by itself, so that a queue whose store does not answer holds up no other.
pub(in crate::worker) async fn prune_at_intervals(run: Arc<WorkerRun>) {
    let run = &*run;
    let interval = run.options.prune_interval;
    join_all(run.queues.iter().map(|queue| repeat(run, interval, || prune(run, &queue.name)))).await;
}

/// Removes records in portions until none is past its purge time.
async fn prune(run: &WorkerRun, queue: &QueueName) {
    loop {
        let request = PruneRequest { queue: queue.clone(), what: Prune::Expired, limit: PRUNE_MAX };
        match run.storage.prune(request).await {
            Ok(removed) if removed == PRUNE_MAX as u64 => {}
            Ok(_) => return,
            Err(error) => return run.report_error_of(queue, error),
        }
    }
}
