//! What workers of the library do beside their jobs, and remote ones cannot: ends lapsed leases and
//! removes records past their purge time.

use super::rescue::rescue;
use crate::service::App;
use parking_lot::Mutex;
use queue_core::{Prune, PruneRequest, QueueName};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// How often lapsed leases are looked for in a queue that is claimed from.
const RESCUE_INTERVAL: Duration = Duration::from_secs(5);
/// The most leases that one look ends, and the most records that one call removes.
const BATCH: usize = 1000;
/// Records are removed at every so many looks.
const PRUNED_EVERY: u64 = 12;
/// The most calls in a row that remove records.
const PRUNES_MAX: usize = 10;
/// The most queues whose looks are remembered. Beyond that they are forgotten, and looks come more
/// often.
const QUEUES_MAX: usize = 10_000;

/// When each queue was looked at.
#[derive(Debug, Default)]
pub(super) struct Upkeep(Mutex<HashMap<QueueName, Look>>);

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    number: u64,
}

impl Upkeep {
    /// The number of the look that is due now, if one is.
    fn is_due(&self, queue: &QueueName) -> Option<u64> {
        let now = Instant::now();
        let mut looks = self.0.lock();
        let last = looks.get(queue).copied();
        if last.is_some_and(|last| now < last.at + RESCUE_INTERVAL) {
            return None;
        }
        if looks.len() >= QUEUES_MAX {
            looks.clear();
        }
        let number = last.map_or(0, |last| last.number + 1);
        looks.insert(queue.clone(), Look { at: now, number });
        Some(number)
    }
}

/// Looks after a queue in a task of its own, if the last look is long enough ago.
pub(super) fn at_intervals(app: &Arc<App>, queue: &QueueName) {
    let Some(number) = app.claims.upkeep.is_due(queue) else { return };
    let app_of_task = app.clone();
    let queue = queue.clone();
    app.tasks.spawn(async move {
        let limit = BATCH.min(app_of_task.storage.capabilities().limits.batch_max);
        // What fails now is tried again with the next look.
        drop(rescue(&app_of_task, &queue, limit).await);
        if number % PRUNED_EVERY == 0 {
            prune(&app_of_task, queue, limit).await;
        }
    });
}

async fn prune(app: &App, queue: QueueName, limit: usize) {
    let request = PruneRequest { queue, what: Prune::Expired, limit };
    for _ in 0..PRUNES_MAX {
        match app.storage.prune(request.clone()).await {
            Ok(removed) if removed == limit as u64 => {}
            _ => return,
        }
    }
}
