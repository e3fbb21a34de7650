//! The calls about one queue that the fetcher has in flight beside those about others.

use super::{
    claim_call::{ClaimAnswer, ClaimCall},
    lost_claim_search::LostClaimSearch,
};
use crate::worker::{run::WorkerRun, upkeep};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{QueueName, Result, State, Storage};
use queue_schedule::schedules_in;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// A queue is claimed from again after this long, even if the store has not answered a call about
/// its lapsed leases or counts.
pub(super) const SIDE_CALL_MAX: Duration = Duration::from_secs(5);

/// Beyond this many waiting jobs the worker does not look whether all of them are schedules.
const SCHEDULES_MAX: u64 = 20_000;
/// Schedules on a page.
const PAGE: usize = 1000;

/// A call about one queue.
pub(super) type QueueCall = BoxFuture<'static, CallAnswer>;

/// What a call about one queue came to.
pub(super) enum CallAnswer {
    /// The answer to a claim.
    Claim(ClaimAnswer),
    /// The jobs that a lost claim leased are given back. Unless the search is over, the claim may
    /// still lease more.
    Search { search: LostClaimSearch, is_over: bool },
    /// Lapsed leases were ended, so there may be jobs.
    Rescue { queue_index: usize },
    /// What is left in a queue that has nothing due.
    Look { queue_index: usize, remaining: RemainingJobs },
}

/// The jobs that are left in a queue that has nothing due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemainingJobs {
    /// Jobs whose time is to come, as far as is known.
    Waiting,
    /// Jobs that other workers hold.
    HeldByOthers,
    /// None, or schedules and gated jobs alone. These may wait for ever, so such a queue counts as
    /// empty.
    SchedulesAtMost,
}

/// Makes a claim. The call is not dropped before the last step of a shutdown, since jobs that a
/// dropped claim leases go back only if the store still can give them back.
pub(super) fn claim(call: ClaimCall, run: &Arc<WorkerRun>) -> QueueCall {
    call.send(run.clone()).map(CallAnswer::Claim).boxed()
}

/// Looks for the jobs of a lost claim until the store has answered once.
pub(super) fn search(mut search: LostClaimSearch, run: &Arc<WorkerRun>) -> QueueCall {
    let run = run.clone();
    async move {
        let is_over = search.search(&run).await;
        CallAnswer::Search { search, is_over }
    }
    .boxed()
}

/// Goes on with a search whose claim may still lease jobs. It is in nobody's way, so it is no call
/// of its queue.
pub(super) fn go_on_searching(search: LostClaimSearch, run: &Arc<WorkerRun>) -> BoxFuture<'static, ()> {
    let run = run.clone();
    async move { search.go_on(&run).await }.boxed()
}

/// Ends the lapsed leases of a queue.
pub(super) fn rescue(queue_index: usize, run: &Arc<WorkerRun>) -> QueueCall {
    let run = run.clone();
    async move {
        let _answered = until_stop(&run, upkeep::rescue(&run, queue_index)).await;
        CallAnswer::Rescue { queue_index }
    }
    .boxed()
}

/// Looks at what is left in a queue that has nothing due.
pub(super) fn look(queue_index: usize, run: &Arc<WorkerRun>) -> QueueCall {
    let run = run.clone();
    async move {
        let remaining = until_stop(&run, remaining(&*run.storage, &run.queues[queue_index].name)).await;
        let remaining = remaining.and_then(Result::ok).unwrap_or(RemainingJobs::Waiting);
        CallAnswer::Look { queue_index, remaining }
    }
    .boxed()
}

/// Bounds a call that may be dropped without harm.
async fn until_stop<T>(run: &WorkerRun, call: impl Future<Output = T>) -> Option<T> {
    let bounded = timeout(SIDE_CALL_MAX, call);
    run.shutdown.stop.run_until_cancelled(bounded).await?.ok()
}

async fn remaining(store: &dyn Storage, queue: &QueueName) -> Result<RemainingJobs> {
    let counts = store.counts(queue).await?;
    if counts.of(State::Processing) > 0 {
        return Ok(RemainingJobs::HeldByOthers);
    }
    // A gated job waits for jobs that may never end, and alone keeps no worker.
    let waiting = counts.waiting().saturating_sub(counts.gated);
    let are_schedules = waiting == 0 || waiting <= SCHEDULES_MAX && schedules(store, queue).await? == waiting;
    Ok(if are_schedules { RemainingJobs::SchedulesAtMost } else { RemainingJobs::Waiting })
}

/// Counts the schedules that wait.
async fn schedules(store: &dyn Storage, queue: &QueueName) -> Result<u64> {
    let mut query = schedules_in(queue.clone(), [State::Queued, State::Failing], PAGE);
    let mut count = 0;
    loop {
        let page = store.list(query.clone()).await?;
        count += page.jobs.len() as u64;
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(count),
        }
    }
}
