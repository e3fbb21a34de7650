//! A layer that measures the calls of a store.

use crate::{QueueMetrics, labels::QueueLabels, sent_transition::SentTransition, words::Operation};
use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, Claimed, Enqueued, NewJob, QueueName, Result, Stamped, Storage, StorageLayer,
    lifecycle::Transition,
};
use std::{fmt::Debug, sync::Arc};
use tokio::time::Instant;

/// A store whose calls are measured: jobs sent and claimed, attempts by their outcome, the duration
/// of calls and jobs, and errors.
///
/// The layer passes every call on unchanged, capabilities included. It does not see calls inside a
/// transaction of the application. A call costs two readings of the clock, and a few atomic
/// additions for each job; a job of a known queue and kind allocates nothing.
///
/// The layer counts attempts, not the worker, since pull mode, rescues and the HTTP service settle
/// jobs too. So put exactly one layer in front of a store.
///
/// ```
/// use queue::Queue;
/// use queue_telemetry::{Metered, QueueMetrics};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let metrics = QueueMetrics::new(&opentelemetry::global::meter("shop"));
/// let store = Arc::new(Metered::new(queue::open("memory:").await?, &metrics));
/// let mails: Queue<String> = Queue::new(store, "mails")?;
/// mails.enqueue("a", "welcome".to_owned()).await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Metered<S: ?Sized = dyn Storage> {
    store: Arc<S>,
    name: &'static str,
    metrics: QueueMetrics,
}

impl<S: Storage + ?Sized> Metered<S> {
    /// Puts a layer in front of that store.
    pub fn new(store: Arc<S>, metrics: &QueueMetrics) -> Self {
        let name = store.capabilities().name;
        metrics.store_begins(name);
        Self { store, name, metrics: metrics.clone() }
    }

    /// Measures the duration of a call, and counts its error or its answer.
    async fn timed<T: Send>(
        &self,
        queue: &QueueName,
        operation: Operation,
        call: impl Future<Output = Result<T>> + Send,
        count: impl FnOnce(&QueueLabels, &T) + Send,
    ) -> Result<T> {
        let begun = Instant::now();
        let answer = self.around(operation.as_str(), None, call).await;
        let labels = self.metrics.called(queue, operation, begun.elapsed(), answer.as_ref().err());
        answer.inspect(|answer| count(&labels, answer))
    }
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Metered<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    /// Counts the error of a call.
    #[expect(clippy::manual_async_fn, reason = "`async_trait` would box it")]
    fn around<T: Send>(
        &self,
        _verb: &'static str,
        _queue: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> impl Future<Output = Result<T>> + Send {
        async move { call.await.inspect_err(|error| self.metrics.store_failed(self.name, error)) }
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let call = self.store.enqueue(queue, groups);
        self.timed(queue, Operation::Enqueue, call, |labels, answer| self.metrics.enqueued(labels, answer))
            .await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let queue = request.queue.clone();
        let call = self.store.claim(request);
        self.timed(&queue, Operation::Claim, call, |_, claimed| self.metrics.claimed(&queue, claimed)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        // A batch may hold jobs of several queues; its duration is recorded for the first.
        let Some(queue) = batch.first().map(|first| first.queue.clone()) else {
            return self.around("apply", None, self.store.apply(batch)).await;
        };
        let sent: Vec<SentTransition> = batch.iter().map(SentTransition::of).collect();
        let call = self.store.apply(batch);
        self.timed(&queue, sent[0].operation(), call, |_, answer| self.metrics.applied(&sent, answer)).await
    }
}
