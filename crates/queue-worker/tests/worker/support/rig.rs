//! A store, a queue and workers on it, with recorded events.

use super::{Events, FOREVER, Probe, id};
use queue_core::{
    Budget, ClaimRequest, Claimed, ContentType, Detail, JobMeta, JobRecord, Kind, NewJob, Payload, QueueName,
    SeededRng, Span, State, Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_memory::MemoryStorage;
use queue_worker::{Context, JobError, Router, TokioClock, Worker, WorkerBuilder, WorkerReport};
use std::sync::Arc;
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

/// A store, a queue, and what the workers on it reported.
#[derive(Debug)]
pub(crate) struct Rig {
    pub(crate) store: Arc<Probe>,
    pub(crate) queue: QueueName,
    pub(crate) events: Events,
    pub(crate) rng: Arc<SeededRng>,
}

/// A worker that runs.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) stop: CancellationToken,
    run: JoinHandle<WorkerReport>,
}

/// A router of one handler, for the kind `work`.
pub(crate) fn router<F, Fut, R>(handler: F) -> Router
where
    F: Fn(u32, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    R: queue_serde::Encode + Send + 'static,
{
    Router::new(()).handle("work", handler).expect("it is the only handler")
}

/// A job of kind `work` whose payload is a number, with three attempts.
pub(crate) fn job(name: &str, number: u32) -> NewJob {
    let payload = Payload::new(number.to_string(), ContentType::from_static("application/json"));
    NewJob::new(id(name), Kind::from_static("work"), payload).with_max_attempts(Budget::from_raw(3))
}

impl Rig {
    pub(crate) fn new() -> Self {
        let store = MemoryStorage::with_clock(Arc::new(TokioClock::default()));
        Self {
            store: Arc::new(Probe::new(store)),
            queue: QueueName::from_static("tests"),
            events: Events::new(),
            rng: Arc::new(SeededRng::new(7)),
        }
    }

    /// A worker with small limits, a repeatable jitter, and recorded events.
    pub(crate) fn worker(&self, router: Router) -> WorkerBuilder {
        self.worker_by_handler_time(router).prefetch(4)
    }

    /// The same, with the number of ready jobs chosen by the worker.
    pub(crate) fn worker_by_handler_time(&self, router: Router) -> WorkerBuilder {
        let events = self.events.clone();
        Worker::builder(self.store.clone(), self.queue.clone(), router)
            .concurrency(4)
            .id(WorkerId::from_static("tester"))
            .rng(self.rng.clone())
            .on_event(move |event| events.push(event))
    }

    pub(crate) async fn enqueue(&self, jobs: impl IntoIterator<Item = NewJob>) {
        let groups = jobs.into_iter().map(|job| vec![job]).collect();
        self.store.enqueue(&self.queue, groups).await.expect("the probe enqueues");
    }

    pub(crate) async fn enqueue_into(&self, queue: &QueueName, jobs: impl IntoIterator<Item = NewJob>) {
        let groups = jobs.into_iter().map(|job| vec![job]).collect();
        self.store.enqueue(queue, groups).await.expect("the probe enqueues");
    }

    pub(crate) async fn record(&self, name: &str) -> JobRecord {
        self.find(name).await.expect("the record exists")
    }

    pub(crate) async fn find(&self, name: &str) -> Option<JobRecord> {
        self.store.get_one(&self.queue, &id(name), Detail::Full).await.expect("the probe reads")
    }

    pub(crate) async fn meta(&self, name: &str) -> JobMeta {
        self.record(name).await.meta
    }

    pub(crate) async fn leased(&self) -> u64 {
        self.store.counts(&self.queue).await.expect("the probe counts").of(State::Processing)
    }

    pub(crate) async fn change(&self, name: &str, event: Event) {
        let changed = self.store.change(&self.queue, &id(name), event, &Policy::default()).await;
        changed.expect("the probe applies");
    }

    /// Claims as another worker, which then goes silent.
    pub(crate) async fn claim_elsewhere(&self, limit: usize, lease: Span) -> Claimed {
        let other = WorkerId::from_static("elsewhere");
        let request = ClaimRequest::new(self.queue.clone(), other, limit, lease, &*self.rng);
        self.store.claim(request).await.expect("the probe claims")
    }

    /// Runs a worker until the queue is empty.
    pub(crate) async fn drain(&self, builder: WorkerBuilder) -> WorkerReport {
        let worker = builder.until_empty().build().expect("valid settings");
        timeout(FOREVER, worker.run()).await.expect("the queue empties")
    }

    /// Starts a worker that runs until it is stopped.
    pub(crate) fn start(builder: WorkerBuilder) -> Running {
        let worker = builder.build().expect("valid settings");
        Running { stop: worker.stop_token(), run: spawn(worker.run()) }
    }
}

impl Running {
    /// Stops the worker and waits for its end.
    pub(crate) async fn stop(self) -> WorkerReport {
        self.stop.cancel();
        self.ended().await
    }

    /// Waits for its end.
    pub(crate) async fn ended(self) -> WorkerReport {
        timeout(FOREVER, self.run).await.expect("the worker ends").expect("it does not panic")
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that spawns in these tests")]
pub(crate) fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(task)
}
