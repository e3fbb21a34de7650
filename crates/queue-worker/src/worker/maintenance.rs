use super::{
    HeldJob, WorkerEvent, later::later, prune_tick::PRUNE_MAX, rescue_tick::RESCUE_MAX, shared::Shared,
};
use futures_util::future::join_all;
use queue_core::{
    Applied, JobMeta, ListQuery, Prune, PruneRequest, QueueName, Result, Seq, StorageExt,
    asking::jittered,
    lifecycle::{Event, decide},
};
use std::{collections::HashSet, future::Future, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// Ends the leases of workers that died. Every worker does it: guards make that safe without a leader.
pub(super) async fn rescue(shared: &Shared, queue: &QueueName) {
    if let Err(error) = try_rescue(shared, queue).await {
        shared.report_error_of(queue, error);
    }
}

async fn try_rescue(shared: &Shared, queue: &QueueName) -> Result<()> {
    let limit = RESCUE_MAX.min(shared.storage.capabilities().limits.batch_max);
    let mut query = ListQuery::lapsed(queue.clone(), limit);
    loop {
        let page = shared.storage.list(query.clone()).await?;
        let own = spared(shared, queue);
        let lapsed = page.jobs.iter().filter(|job| !own.contains(&claim_of(job)));
        let mut batch: Vec<_> =
            lapsed.filter_map(|job| decide(job, Event::Lapse, &shared.options.policy).ok()).collect();
        if !batch.is_empty() {
            shared.storage.trace_followers(queue, &mut batch).await;
            for answer in shared.storage.apply(batch).await?.value {
                if let Applied::Done(job) = answer {
                    shared.emit(&WorkerEvent::Stalled(job));
                }
            }
        }
        query.after = page.next;
        if query.after.is_none() {
            return Ok(());
        }
    }
}

/// One claim of one job: within a queue a life has its `seq` to itself, and every claim of it another epoch.
type ClaimOfJob = (Seq, u64);

fn claim_of(job: &JobMeta) -> ClaimOfJob {
    (job.seq, job.epoch)
}

/// Claims of this worker whose handlers may still settle them. A runtime that was blocked has missed heartbeats, and would
/// run these jobs beside themselves. From when it noticed, a handler has the grace; then it is dropped, or if that cannot
/// be, another lease, so that one that never returns does not keep its job for ever.
fn spared(shared: &Shared, queue: &QueueName) -> HashSet<ClaimOfJob> {
    let (now, patience) =
        (Instant::now(), shared.options.grace.saturating_add(shared.options.lease.as_duration()));
    let held = shared.held_jobs();
    let of_queue = held.iter().filter(|job| job.meta().queue == *queue);
    let is_spared =
        |job: &&Arc<HeldJob>| job.time_limit().lost_at().is_none_or(|at| now < later(at, patience));
    of_queue.filter(is_spared).map(|job| claim_of(job.meta())).collect()
}

/// Each queue by itself, so that one whose store does not answer holds up no other.
pub(super) async fn run_rescue(shared: Arc<Shared>) {
    let (shared, interval) = (&*shared, shared.options.rescue_interval);
    join_all(shared.queues.iter().map(|queue| repeat(shared, interval, || rescue(shared, &queue.name))))
        .await;
}

/// Each queue by itself, likewise.
pub(super) async fn run_prune(shared: Arc<Shared>) {
    let (shared, interval) = (&*shared, shared.options.prune_interval);
    join_all(shared.queues.iter().map(|queue| repeat(shared, interval, || prune(shared, &queue.name)))).await;
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

/// Does something at jittered intervals until nothing is held any more.
pub(super) async fn repeat<F: Future<Output = ()>>(shared: &Shared, interval: Duration, act: impl Fn() -> F) {
    loop {
        tokio::select! {
            biased;
            () = shared.signals.idle.cancelled() => return,
            () = sleep(jittered(interval, &*shared.rng)) => act().await,
        }
    }
}
