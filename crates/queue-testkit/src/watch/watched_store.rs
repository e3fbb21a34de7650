//! A store that notes each call, and each wait for a hint, until it is answered.

use super::{OpenCalls, open_calls::OpenCall};
use async_trait::async_trait;
use futures_util::Stream;
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding, Hint,
    ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, ListQuery, NewJob, Page, Pause,
    PruneRequest, QueueName, QueuesPage, QueuesQuery, Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped,
    Storage, StorageLayer, WorkerId, WorkerInfo, lifecycle::Transition,
};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

/// A store whose calls, and whose waits for a hint, count as open until they are answered.
#[derive(Debug)]
pub(super) struct WatchedStore {
    store: Arc<dyn Storage>,
    calls: OpenCalls,
}

/// The hints of a [`WatchedStore`].
struct WatchedHints {
    hints: EventStream,
    calls: OpenCalls,
    what: String,
    asked: Option<OpenCall>,
}

impl WatchedStore {
    pub(super) fn new(store: Arc<dyn Storage>, calls: OpenCalls) -> Self {
        Self { store, calls }
    }

    /// Runs one call of a verb, about one queue or about all.
    async fn call<T>(&self, verb: &str, queue: Option<&QueueName>, answer: impl Future<Output = T>) -> T {
        let about = queue.map_or_else(String::new, |queue| format!(" of queue `{queue}`"));
        let call = self.calls.begin(format!("the answer of `{verb}`{about}"));
        let answer = answer.await;
        call.answered();
        answer
    }
}

#[async_trait]
impl StorageLayer for WatchedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &(dyn Storage + 'static) {
        &*self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call("enqueue", Some(queue), self.store.enqueue(queue, groups)).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let queue = request.queue.clone();
        self.call("claim", Some(&queue), self.store.claim(request)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call("apply", None, self.store.apply(batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call("get", Some(queue), self.store.get(queue, ids, what)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let queue = query.queue.clone();
        self.call("list", Some(&queue), self.store.list(query)).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.call("attempts", Some(queue), self.store.attempts(queue, ids)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.call("counts", Some(queue), self.store.counts(queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.call("queues", None, self.store.queues(query)).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let queue = request.queue.clone();
        self.call("prune", Some(&queue), self.store.prune(request)).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        let queue = request.queue.clone();
        self.call("import", Some(&queue), self.store.import(request)).await
    }

    async fn set_paused(&self, queue: &QueueName, pause: Pause) -> Result<()> {
        self.call("set_paused", Some(queue), self.store.set_paused(queue, pause)).await
    }

    async fn set_kind_paused(&self, queue: &QueueName, kind: &Kind, pause: Pause) -> Result<()> {
        self.call("set_kind_paused", Some(queue), self.store.set_kind_paused(queue, kind, pause)).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let what = format!("a hint of queue `{queue}` for {interest:?}");
        let hints = self.call("subscribe", Some(queue), self.store.subscribe(queue, interest)).await?;
        Ok(Box::pin(WatchedHints { hints, calls: self.calls.clone(), what, asked: None }))
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.call("announce", None, self.store.announce(worker, ttl)).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.call("set_duty", None, self.store.set_duty(worker, duty)).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.call("workers", None, self.store.workers()).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.call("write_series", None, self.store.write_series(entry, ttl)).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.call("read_series", None, self.store.read_series(query)).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.call("verify", None, self.store.verify()).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.call("diagnose", None, self.store.diagnose()).await
    }

    async fn close(&self) -> Result<()> {
        self.call("close", None, self.store.close()).await
    }
}

impl Stream for WatchedHints {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        let polled = self.hints.as_mut().poll_next(context);
        match (&polled, self.asked.take()) {
            (Poll::Ready(_), Some(asked)) => asked.answered(),
            (Poll::Ready(_), None) => {}
            (Poll::Pending, asked) => {
                let asked = asked.unwrap_or_else(|| self.calls.begin(self.what.clone()));
                self.asked = Some(asked);
            }
        }
        polled
    }
}
