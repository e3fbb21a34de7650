//! The verbs whose calls are merged: their keys, weights and calls of the store.

use super::lines::lost;
use crate::{BatchVerbs, UnheardClaim};
use futures_util::FutureExt;
use queue_core::{
    Applied, ClaimRequest, Claimed, Enqueued, NewJob, QueueName, Result, Stamped, lifecycle::Transition,
    payload_bytes,
};
use std::{future::Future, hash::Hash, panic::AssertUnwindSafe};

/// A verb of a store whose concurrent calls can be merged.
pub(super) trait MergedVerb: Send + Sync + 'static {
    /// Calls with different keys do not merge, nor wait for each other.
    type Key: Clone + Eq + Hash + Send + Sync + 'static;
    /// What one caller asks, answered as a whole.
    type Request: Clone + Send + 'static;
    /// What one caller gets.
    type Answer: Send + 'static;

    /// The name for error messages.
    const NAME: &'static str;
    /// The most requests in one call.
    const CALLS_MAX: usize = usize::MAX;

    /// How much of the batch limit a request takes.
    fn weight(request: &Self::Request) -> usize;

    /// Bytes that it brings.
    fn bytes(request: &Self::Request) -> usize;

    /// Makes one call for all requests. The answers are in their order; fewer of them, at least
    /// one, say that the requests at the end were not begun.
    fn call<S: BatchVerbs>(
        store: &S,
        key: Self::Key,
        requests: Vec<Self::Request>,
    ) -> impl Future<Output = Result<Vec<Result<Self::Answer>>>> + Send;

    /// What has to be undone of an answer whose caller has left.
    fn unheard(_answer: Self::Answer) -> Option<UnheardClaim> {
        None
    }
}

#[derive(Debug)]
pub(super) struct MergedEnqueue;

#[derive(Debug)]
pub(super) struct MergedApply;

#[derive(Debug)]
pub(super) struct MergedClaim;

impl MergedVerb for MergedEnqueue {
    type Key = QueueName;
    type Request = Vec<Vec<NewJob>>;
    type Answer = Stamped<Vec<Vec<Enqueued>>>;

    const NAME: &'static str = "enqueue";

    fn weight(groups: &Vec<Vec<NewJob>>) -> usize {
        groups.iter().map(Vec::len).sum()
    }

    fn bytes(groups: &Vec<Vec<NewJob>>) -> usize {
        groups.iter().map(|group| payload_bytes(group)).sum()
    }

    async fn call<S: BatchVerbs>(
        store: &S,
        queue: QueueName,
        requests: Vec<Vec<Vec<NewJob>>>,
    ) -> Result<Vec<Result<Self::Answer>>> {
        let (counts, groups) = flatten(requests);
        Ok(dealt(Self::NAME, store.enqueue(&queue, groups).await?, &counts))
    }
}

impl MergedVerb for MergedApply {
    /// The queue, if it is about one alone.
    type Key = Option<QueueName>;
    type Request = Vec<Transition>;
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn weight(batch: &Vec<Transition>) -> usize {
        batch.iter().map(Transition::weight).sum()
    }

    fn bytes(batch: &Vec<Transition>) -> usize {
        batch.iter().map(Transition::large_bytes).sum()
    }

    async fn call<S: BatchVerbs>(
        store: &S,
        _: Option<QueueName>,
        requests: Vec<Vec<Transition>>,
    ) -> Result<Vec<Result<Self::Answer>>> {
        let (counts, batch) = flatten(requests);
        Ok(dealt(Self::NAME, store.apply(batch).await?, &counts))
    }
}

impl MergedVerb for MergedClaim {
    type Key = QueueName;
    type Request = ClaimRequest;
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const CALLS_MAX: usize = 1_000;

    fn weight(request: &ClaimRequest) -> usize {
        request.limit
    }

    fn bytes(_: &ClaimRequest) -> usize {
        0
    }

    async fn call<S: BatchVerbs>(
        store: &S,
        _: QueueName,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<Claimed>>> {
        let answers = store.claim(requests).await?;
        if answers.is_empty() { Err(lost(Self::NAME)) } else { Ok(answers.into_iter().map(Ok).collect()) }
    }

    fn unheard(answer: Claimed) -> Option<UnheardClaim> {
        UnheardClaim::of([answer])
    }
}

/// A panic in a store costs the callers of one call, not those that wait behind it.
pub(super) async fn guarded<V: MergedVerb, S: BatchVerbs>(
    store: &S,
    key: V::Key,
    requests: Vec<V::Request>,
) -> Result<Vec<Result<V::Answer>>> {
    let call = AssertUnwindSafe(V::call(store, key, requests)).catch_unwind();
    call.await.unwrap_or_else(|_panic| Err(lost(V::NAME)))
}

/// The items of all requests in one list, and how many each request has.
fn flatten<T>(mut requests: Vec<Vec<T>>) -> (Vec<usize>, Vec<T>) {
    let counts = requests.iter().map(Vec::len).collect();
    let items =
        if requests.len() == 1 { requests.remove(0) } else { requests.into_iter().flatten().collect() };
    (counts, items)
}

/// Deals the answers out to the requests. A request without an answer for each of its items has
/// lost its own.
fn dealt<T>(name: &'static str, answers: Stamped<Vec<T>>, counts: &[usize]) -> Vec<Result<Stamped<Vec<T>>>> {
    let moment = answers.moment();
    let mut items = answers.value.into_iter();
    let mut deal = |count: usize| {
        let value: Vec<T> = items.by_ref().take(count).collect();
        if value.len() == count { Ok(Stamped::at(moment, value)) } else { Err(lost(name)) }
    };
    counts.iter().map(|count| deal(*count)).collect()
}
