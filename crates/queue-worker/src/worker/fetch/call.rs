use super::{
    ask::{Answered, Ask},
    lost::Lost,
};
use crate::worker::{maintenance, shared::Shared};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{QueueName, State};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// A queue is claimed from again after this long, though lapsed leases or counts have no answer.
pub(super) const SIDE_CALL_MAX: Duration = Duration::from_secs(5);

/// A call about one queue, in flight beside those about others.
pub(super) type Call = BoxFuture<'static, Ended>;

/// A call that is over, and the place of its queue among the worker's.
pub(super) enum Ended {
    /// The answer to a claim.
    Claim(Answered),
    /// What a lost claim leased is given back; it may still lease more.
    Find { lost: Lost, is_over: bool },
    /// Lapsed leases were ended, so there may be jobs.
    Rescue(usize),
    /// Whether other workers hold jobs of the queue.
    Look { lane: usize, others_hold: bool },
}

/// It is not dropped before the last step of a shutdown, since a dropped claim leaks leases.
pub(super) fn claim(ask: Ask, shared: &Arc<Shared>) -> Call {
    ask.send(shared.clone()).map(Ended::Claim).boxed()
}

pub(super) fn find(mut lost: Lost, shared: &Arc<Shared>) -> Call {
    let shared = shared.clone();
    async move {
        let is_over = lost.find(&shared).await;
        Ended::Find { lost, is_over }
    }
    .boxed()
}

/// Beside everything else, whether the run is at its end or not.
pub(super) fn watch(lost: Lost, shared: &Arc<Shared>) -> BoxFuture<'static, ()> {
    let shared = shared.clone();
    async move { lost.watch(&shared).await }.boxed()
}

pub(super) fn rescue(lane: usize, shared: &Arc<Shared>) -> Call {
    let shared = shared.clone();
    async move {
        let rescue = maintenance::rescue(&shared, &shared.queues[lane].name);
        let _answered = until_stop(&shared, rescue).await;
        Ended::Rescue(lane)
    }
    .boxed()
}

pub(super) fn look(lane: usize, shared: &Arc<Shared>) -> Call {
    let shared = shared.clone();
    async move {
        let others_hold = until_stop(&shared, others_hold(&shared, &shared.queues[lane].name)).await;
        Ended::Look { lane, others_hold: others_hold.unwrap_or(false) }
    }
    .boxed()
}

/// Dropping such a call harms nothing.
async fn until_stop<T>(shared: &Shared, call: impl Future<Output = T>) -> Option<T> {
    let bounded = timeout(SIDE_CALL_MAX, call);
    shared.signals.stop.run_until_cancelled(bounded).await?.ok()
}

async fn others_hold(shared: &Shared, queue: &QueueName) -> bool {
    let counts = shared.storage.counts(queue).await;
    counts.is_ok_and(|counts| counts.of(State::Processing) > 0)
}
