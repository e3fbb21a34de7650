//! A layer that makes a span of each call of a store.

use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding, ImportRequest,
    Imported, Interest, JobAttempts, JobId, JobRecord, Kind, ListQuery, NewJob, Page, Pause, PruneRequest,
    QueueName, QueuesPage, QueuesQuery, Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage,
    StorageLayer, WorkerId, WorkerInfo, lifecycle::Transition,
};
use std::{fmt::Debug, sync::Arc, time::Duration};
use tracing::{Instrument as _, Span, debug_span, field::Empty};

/// A store whose calls are spans of [`tracing`](https://docs.rs/tracing), at the level `debug` and
/// with the target `queue_store`: each has the name of its verb, and as fields the name of the
/// store, the queue, and how many items were sent (`items`) and answered (`answered`). A call that
/// failed also has the error, its kind and its certainty. A span is a child of the span in which
/// the call is made.
///
/// The layer passes every call on unchanged, capabilities included. It does not see calls in a
/// transaction of the application. Without a subscriber for the level a call costs a check and one
/// allocation.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use queue::{Queue, Traced};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let store = queue::open("memory:").await?;
/// let mails: Queue<String> = Queue::new(Arc::new(Traced::new(store)), "mails")?;
/// mails.enqueue("a", "welcome".to_owned()).await?; // enqueue{store="memory" queue=mails items=1 answered=1}
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Traced<S: ?Sized = dyn Storage> {
    store: Arc<S>,
}

impl<S: Storage + ?Sized> Traced<S> {
    /// A layer in front of that store.
    pub fn new(store: Arc<S>) -> Self {
        Self { store }
    }
}

/// The span of one call. Its fields are computed only if a subscriber wants them.
macro_rules! verb {
    ($layer:ident, $name:literal $(, $($fields:tt)+)?) => {
        debug_span!(
            target: "queue_store",
            $name,
            store = $layer.store.capabilities().name,
            $($($fields)+,)?
            answered = Empty,
            error = Empty,
            error_kind = Empty,
            certainty = Empty,
        )
    };
}

/// Makes the call in its span, and records the outcome.
async fn told<T>(
    span: Span,
    call: impl Future<Output = Result<T>>,
    answered: impl FnOnce(&T) -> usize,
) -> Result<T> {
    let answer = call.instrument(span.clone()).await;
    // Without a subscriber the fields need not be computed.
    if span.is_disabled() {
        return answer;
    }
    match &answer {
        Ok(answer) => drop(span.record("answered", number(answered(answer)))),
        Err(error) => {
            span.record("error", tracing::field::display(error));
            span.record("error_kind", tracing::field::debug(error.kind()));
            span.record("certainty", tracing::field::debug(error.certainty()));
        }
    }
    answer
}

/// A signed number, since exporters of OpenTelemetry write any other number as text.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The count of an answer that consists of one item.
fn one<T>(_answer: &T) -> usize {
    1
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Traced<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let span = verb!(self, "enqueue", %queue, items = number(groups.iter().map(Vec::len).sum()));
        let answered = |answer: &Stamped<Vec<Vec<Enqueued>>>| answer.value.iter().map(Vec::len).sum();
        told(span, self.store.enqueue(queue, groups), answered).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let span = verb!(self, "claim", queue = %request.queue, items = number(request.limit));
        told(span, self.store.claim(request), |claimed| claimed.jobs.len()).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        // A batch may concern several queues; the span names the first.
        let queue = || batch.first().map(|transition| transition.queue.as_str());
        let span = verb!(self, "apply", queue = queue(), items = number(batch.len()));
        told(span, self.store.apply(batch), |answer| answer.value.len()).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let span = verb!(self, "get", %queue, items = number(ids.len()));
        let found = |answer: &Stamped<Vec<Option<JobRecord>>>| answer.value.iter().flatten().count();
        told(span, self.store.get(queue, ids, what), found).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let span = verb!(self, "list", queue = %query.queue, items = number(query.limit));
        told(span, self.store.list(query), |page| page.jobs.len()).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        let span = verb!(self, "attempts", %queue, items = ids.len());
        let found = |answer: &Stamped<Vec<Option<JobAttempts>>>| answer.value.iter().flatten().count();
        told(span, self.store.attempts(queue, ids), found).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let span = verb!(self, "counts", %queue);
        told(span, self.store.counts(queue), one).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        let span = verb!(self, "queues", items = number(query.limit()));
        told(span, self.store.queues(query), |page| page.queues.len()).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let span = verb!(self, "prune", queue = %request.queue, items = number(request.limit));
        let removed = |count: &u64| usize::try_from(*count).unwrap_or(usize::MAX);
        told(span, self.store.prune(request), removed).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        let span = verb!(self, "import", queue = %request.queue, items = number(request.jobs.len()));
        told(span, self.store.import(request), |answer| answer.value.len()).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        let span = verb!(self, "set_paused", %queue, kind = kind.map(Kind::as_str), ?pause);
        told(span, self.store.set_paused(queue, kind, pause), one).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let span = verb!(self, "subscribe", %queue, ?interest);
        told(span, self.store.subscribe(queue, interest), one).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        let span = verb!(self, "announce", worker = %worker.id);
        told(span, self.store.announce(worker, ttl), one).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        let span = verb!(self, "set_duty", %worker, ?duty);
        told(span, self.store.set_duty(worker, duty), |then| usize::from(then.is_some())).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        told(verb!(self, "workers"), self.store.workers(), Vec::len).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        let span = verb!(self, "write_series", series = %entry.series, items = 1);
        told(span, self.store.write_series(entry, ttl), one).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        let span = verb!(self, "read_series", series = %query.series(), items = number(query.limit()));
        told(span, self.store.read_series(query), |page| page.value.entries.len()).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        told(verb!(self, "verify"), self.store.verify(), Vec::len).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        told(verb!(self, "diagnose"), self.store.diagnose(), Vec::len).await
    }

    async fn close(&self) -> Result<()> {
        told(verb!(self, "close"), self.store.close(), one).await
    }
}
