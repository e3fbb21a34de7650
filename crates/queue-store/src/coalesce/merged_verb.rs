//! The verbs whose calls go through lanes: their keys, weights and calls of the store.

use crate::BatchVerbs;
use queue_core::{
    Applied, Enqueued, NewJob, QueueName, Result, Stamped, lifecycle::Transition, payload_bytes,
};
use std::future::Future;

/// A batched verb of a store: what can be merged, and how it is called.
pub(super) trait MergedVerb: Send + 'static {
    /// Calls with different keys do not merge, nor wait for each other.
    type Key: Clone + Ord + Send + 'static;
    /// One item of a batch, whole or not at all.
    type Item: Clone + Send + 'static;
    /// The answer to one item.
    type Answer: Send + 'static;

    /// The name for error messages.
    const NAME: &'static str;

    /// How much of the batch limit an item takes.
    fn weight(item: &Self::Item) -> usize;

    /// Bytes that it brings.
    fn bytes(item: &Self::Item) -> usize;

    /// Sends one batch; the answers are in the order of the items.
    fn call<S: BatchVerbs>(
        store: &S,
        key: Self::Key,
        items: Vec<Self::Item>,
    ) -> impl Future<Output = Result<Stamped<Vec<Self::Answer>>>> + Send;
}

#[derive(Debug)]
pub(super) struct MergedEnqueue;

impl MergedVerb for MergedEnqueue {
    type Key = QueueName;
    type Item = Vec<NewJob>;
    type Answer = Vec<Enqueued>;

    const NAME: &'static str = "enqueue";

    fn weight(group: &Vec<NewJob>) -> usize {
        group.len()
    }

    fn bytes(group: &Vec<NewJob>) -> usize {
        payload_bytes(group)
    }

    async fn call<S: BatchVerbs>(
        store: &S,
        queue: QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        store.enqueue(&queue, groups).await
    }
}

#[derive(Debug)]
pub(super) struct MergedApply;

impl MergedVerb for MergedApply {
    /// The queue, if it is about one alone.
    type Key = Option<QueueName>;
    type Item = Transition;
    type Answer = Applied;

    const NAME: &'static str = "apply";

    fn weight(transition: &Transition) -> usize {
        transition.weight()
    }

    fn bytes(transition: &Transition) -> usize {
        transition.large_bytes()
    }

    async fn call<S: BatchVerbs>(
        store: &S,
        _: Option<QueueName>,
        batch: Vec<Transition>,
    ) -> Result<Stamped<Vec<Applied>>> {
        store.apply(batch).await
    }
}
