use super::{
    ask::{Answered, Ask},
    lost::Lost,
};
use crate::worker::{maintenance, shared::Shared};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{Kind, ListFilter, ListQuery, QueueName, Result, State, Storage};
use queue_schedule::SCHEDULE_KIND;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// A queue is claimed from again after this long, though lapsed leases or counts have no answer.
pub(super) const SIDE_CALL_MAX: Duration = Duration::from_secs(5);

/// Beyond so many waiting jobs nobody looks whether all of them are schedules.
const SCHEDULES_MAX: u64 = 20_000;
/// Schedules on a page.
const PAGE: usize = 1000;

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
    /// What is left in a queue that has nothing due.
    Look { lane: usize, left: Left },
}

/// What is left in a queue that has nothing due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Jobs whose time is to come, as far as is known.
    Waiting,
    /// Jobs that other workers hold.
    HeldByOthers,
    /// Nothing, or schedules alone, which wait for ever: such a queue counts as empty.
    SchedulesAtMost,
}

/// It is not dropped before the last step of a shutdown, since what a dropped claim leases goes back only if
/// the store still can give it back.
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
        let left = until_stop(&shared, left(&*shared.storage, &shared.queues[lane].name)).await;
        Ended::Look { lane, left: left.and_then(Result::ok).unwrap_or(Left::Waiting) }
    }
    .boxed()
}

/// Dropping such a call harms nothing.
async fn until_stop<T>(shared: &Shared, call: impl Future<Output = T>) -> Option<T> {
    let bounded = timeout(SIDE_CALL_MAX, call);
    shared.signals.stop.run_until_cancelled(bounded).await?.ok()
}

async fn left(store: &dyn Storage, queue: &QueueName) -> Result<Left> {
    let counts = store.counts(queue).await?;
    if counts.of(State::Processing) > 0 {
        return Ok(Left::HeldByOthers);
    }
    let waiting = counts.of(State::Queued) + counts.of(State::Failing);
    // A listing may have to look at every job that the store keeps, and most queues have no schedule.
    let are_schedules = waiting == 0 || waiting <= SCHEDULES_MAX && schedules(store, queue).await? == waiting;
    Ok(if are_schedules { Left::SchedulesAtMost } else { Left::Waiting })
}

/// How many wait.
async fn schedules(store: &dyn Storage, queue: &QueueName) -> Result<u64> {
    let waiting = ListFilter::in_states([State::Queued, State::Failing]);
    let filter = ListFilter { kind: Some(Kind::from_static(SCHEDULE_KIND)), ..waiting };
    let mut query = ListQuery::all(queue.clone(), PAGE).matching(filter);
    let mut found = 0;
    loop {
        let page = store.list(query.clone()).await?;
        found += page.jobs.len() as u64;
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(found),
        }
    }
}
