//! A layer that measures the calls of a store.

use crate::{QueueMetrics, sent_transition::SentTransition, words::Operation};
use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding, ImportRequest,
    Imported, Interest, JobAttempts, JobId, JobRecord, Kind, ListQuery, NewJob, Page, Pause, PruneRequest,
    QueueName, QueuesPage, QueuesQuery, Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage,
    StorageLayer, WorkerId, WorkerInfo, lifecycle::Transition,
};
use std::{fmt::Debug, sync::Arc, time::Duration};
use tokio::time::Instant;

/// A store whose calls are measured: jobs sent and claimed, attempts by their outcome, how long
/// calls and jobs take, and errors.
///
/// The layer passes every call on unchanged, capabilities included. It does not see calls in a
/// transaction of the application. A call costs two readings of the clock, and a few atomic
/// additions for each job; nothing is allocated for a job of a queue and kind seen before.
///
/// Attempts are counted here and not by the worker, since pull mode, rescues and the HTTP service
/// settle jobs too. So put one layer in front of a store, not two.
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
    /// A layer in front of that store.
    pub fn new(store: Arc<S>, metrics: &QueueMetrics) -> Self {
        let name = store.capabilities().name;
        metrics.store_begins(name);
        Self { store, name, metrics: metrics.clone() }
    }

    /// Counts an error of a call.
    async fn watched<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        let answer = call.await;
        if let Err(error) = &answer {
            self.metrics.store_failed(self.name, error);
        }
        answer
    }

    /// The same, for a call whose time is measured too.
    async fn timed<T>(
        &self,
        queue: &QueueName,
        operation: Operation,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let begun = Instant::now();
        let answer = self.watched(call).await;
        self.metrics.called(queue, operation, begun.elapsed(), answer.as_ref().err());
        answer
    }
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Metered<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let answer = self.timed(queue, Operation::Enqueue, self.store.enqueue(queue, groups)).await?;
        self.metrics.enqueued(queue, &answer.value);
        Ok(answer)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let queue = request.queue.clone();
        let claimed = self.timed(&queue, Operation::Claim, self.store.claim(request)).await?;
        self.metrics.claimed(&queue, &claimed);
        Ok(claimed)
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        // A batch may concern several queues; its time is that of the first.
        let Some(queue) = batch.first().map(|first| first.queue.clone()) else {
            return self.watched(self.store.apply(batch)).await;
        };
        let sent: Vec<SentTransition> = batch.iter().map(SentTransition::of).collect();
        let answer = self.timed(&queue, sent[0].operation(), self.store.apply(batch)).await?;
        self.metrics.applied(&sent, &answer);
        Ok(answer)
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.watched(self.store.get(queue, ids, what)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.watched(self.store.list(query)).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.watched(self.store.attempts(queue, ids)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.watched(self.store.counts(queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.watched(self.store.queues(query)).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.watched(self.store.prune(request)).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        self.watched(self.store.import(request)).await
    }

    async fn set_paused(&self, queue: &QueueName, pause: Pause) -> Result<()> {
        self.watched(self.store.set_paused(queue, pause)).await
    }

    async fn set_kind_paused(&self, queue: &QueueName, kind: &Kind, pause: Pause) -> Result<()> {
        self.watched(self.store.set_kind_paused(queue, kind, pause)).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.watched(self.store.subscribe(queue, interest)).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.watched(self.store.announce(worker, ttl)).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.watched(self.store.set_duty(worker, duty)).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.watched(self.store.workers()).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.watched(self.store.write_series(entry, ttl)).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.watched(self.store.read_series(query)).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.watched(self.store.verify()).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.watched(self.store.diagnose()).await
    }

    async fn close(&self) -> Result<()> {
        self.watched(self.store.close()).await
    }
}
