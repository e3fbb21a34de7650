use super::{WorkerEvent, backoff::jittered, prune_tick::PRUNE_MAX, rescue_tick::RESCUE_MAX, shared::Shared};
use queue_core::{Prune, PruneRequest, QueueName, StorageExt, WorkerInfo};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::time::sleep;

/// How often a worker shows itself.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(10);
/// How long it counts as present after that.
const ANNOUNCE_TTL: Duration = Duration::from_secs(30);

/// Ends the leases of workers that died. Every worker does it: guards make that safe without a leader.
pub(super) async fn rescue(shared: &Shared, queue: &QueueName) {
    let limit = RESCUE_MAX.min(shared.storage.capabilities().limits.batch_max);
    loop {
        match shared.storage.rescue(queue, limit, &shared.options.policy).await {
            Ok(rescued) => {
                let is_last = rescued.len() < limit;
                for job in rescued {
                    shared.emit(&WorkerEvent::Stalled(job));
                }
                if is_last {
                    return;
                }
            }
            Err(error) => return shared.report_error_of(queue, error),
        }
    }
}

pub(super) async fn run_rescue(shared: Arc<Shared>) {
    let interval = shared.options.rescue_interval;
    let round = || async {
        for queue in &shared.queues {
            rescue(&shared, &queue.name).await;
        }
    };
    repeat(&shared, interval, round).await;
}

pub(super) async fn run_prune(shared: Arc<Shared>) {
    let interval = shared.options.prune_interval;
    let round = || async {
        for queue in &shared.queues {
            prune(&shared, &queue.name).await;
        }
    };
    repeat(&shared, interval, round).await;
}

pub(super) async fn run_presence(shared: Arc<Shared>) {
    if !shared.storage.capabilities().presence {
        return;
    }
    announce(&shared, ANNOUNCE_TTL).await;
    repeat(&shared, ANNOUNCE_INTERVAL, || announce(&shared, ANNOUNCE_TTL)).await;
    announce(&shared, Duration::ZERO).await;
}

async fn prune(shared: &Shared, queue: &QueueName) {
    loop {
        let request = PruneRequest { queue: queue.clone(), what: Prune::Expired, limit: PRUNE_MAX };
        match shared.storage.prune(request).await {
            Ok(removed) if removed == PRUNE_MAX as u64 => {}
            Ok(_) => return,
            Err(error) => return shared.report_error_of(queue, error),
        }
    }
}

async fn announce(shared: &Shared, ttl: Duration) {
    let worker = WorkerInfo {
        id: shared.name.id.clone(),
        queues: shared.queues.iter().map(|queue| queue.name.clone()).collect(),
        concurrency: u32::try_from(shared.options.concurrency).unwrap_or(u32::MAX),
        running: u32::try_from(shared.held_count()).unwrap_or(u32::MAX),
        host: format!("process {}", std::process::id()),
    };
    if let Err(error) = shared.storage.announce(worker, ttl).await {
        shared.report_error(error);
    }
}

/// Does something at jittered intervals until nothing is held any more.
async fn repeat<F: Future<Output = ()>>(shared: &Shared, interval: Duration, act: impl Fn() -> F) {
    loop {
        tokio::select! {
            biased;
            () = shared.signals.idle.cancelled() => return,
            () = sleep(jittered(interval, &*shared.rng)) => act().await,
        }
    }
}
