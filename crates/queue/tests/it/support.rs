//! A store clock that follows paused time, and a store with faults.

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use queue::{
    Delivery, Error, ErrorKind, JobId, MemoryStorage, Payload, Queue, QueueName, Result, Storage,
    queue_core::{
        Applied, ClaimRequest, Claimed, Detail, Enqueued, EventStream, Interest, JobRecord, ListQuery,
        NewJob, Page, Stamped, StorageLayer, lifecycle::Transition,
    },
    worker::TokioClock,
};
use std::{
    future,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Semaphore, SemaphorePermit};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn memory() -> Arc<dyn Storage> {
    Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())))
}

pub(crate) type TextQueue = Queue<String, String>;

pub(crate) fn on(storage: Arc<dyn Storage>) -> TextQueue {
    Queue::new(storage, "texts").expect("a valid name")
}

/// A queue of texts whose results are texts, on a fresh store.
pub(crate) fn texts() -> TextQueue {
    on(memory())
}

/// Claims the due job.
pub(crate) async fn take<P: queue::Decode, R>(queue: &Queue<P, R>) -> Delivery<P, R> {
    queue.dequeue(SECOND).await.expect("claims").expect("a job is due")
}

#[expect(clippy::disallowed_methods, reason = "a test joins what it starts")]
pub(crate) fn spawn<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(task)
}

/// Lets every other task run until it waits.
pub(crate) async fn settle_down() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// The fault of a store.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Subscriptions give no hint.
    NoHints,
    /// Streams of hints end at once.
    HintsEnd,
    /// Streams say all the time that hints were missed.
    HintStorm,
    /// Streams report every change of any job, and that hints were missed.
    VagueHints,
    /// Subscribing never answers.
    SubscribeHangs,
    /// Reading never answers.
    GetHangs,
    /// The first reads, this many, fail with a transient error.
    GetFails(AtomicU32),
    /// Reading fails for good.
    GetIsCorrupt,
    /// The first listings, this many, fail with a transient error.
    ListFails(AtomicU32),
    /// Enqueueing never answers.
    EnqueueHangs,
    /// A claim takes effect at once, and is answered once there is a permit.
    ClaimAnswers(Arc<Semaphore>),
    /// The first changes, this many, fail with a transient error.
    ApplyFails(AtomicU32),
    /// A change takes effect once there is a permit.
    ApplyWaits(Arc<Semaphore>),
    /// Every call needs the only connection, and subscribing takes a while.
    OneConnection(Semaphore),
    /// No fault, but streams of hints are counted while they exist.
    StreamsCounted(Arc<AtomicUsize>),
}

/// A store with a fault.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) store: Arc<dyn Storage>,
    pub(crate) fault: Fault,
}

impl Faulty {
    pub(crate) fn wrap(store: Arc<dyn Storage>, fault: Fault) -> Arc<dyn Storage> {
        Arc::new(Self { store, fault })
    }
}

fn unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "test", "down for a moment")
}

/// Longer than a caller waits for its subscription.
const SUBSCRIBING: Duration = Duration::from_millis(200);

impl Faulty {
    async fn connection(&self) -> Option<SemaphorePermit<'_>> {
        let Fault::OneConnection(connection) = &self.fault else { return None };
        Some(connection.acquire().await.expect("never closed"))
    }
}

fn fails_now(left: &AtomicU32) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

#[async_trait]
impl StorageLayer for Faulty {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        if matches!(self.fault, Fault::EnqueueHangs) {
            return future::pending().await;
        }
        let _connection = self.connection().await;
        self.store.enqueue(queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let _connection = self.connection().await;
        let claimed = self.store.claim(request).await;
        if let Fault::ClaimAnswers(permits) = &self.fault {
            permits.acquire().await.expect("never closed").forget();
        }
        claimed
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let _connection = self.connection().await;
        match &self.fault {
            Fault::ApplyFails(left) if fails_now(left) => return Err(unavailable()),
            Fault::ApplyWaits(permits) => permits.acquire().await.expect("never closed").forget(),
            _ => {}
        }
        self.store.apply(batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let _connection = self.connection().await;
        match &self.fault {
            Fault::GetHangs => future::pending().await,
            Fault::GetFails(left) if fails_now(left) => Err(unavailable()),
            Fault::GetIsCorrupt => Err(Error::new(ErrorKind::Corrupt, "get", "not what was written")),
            _ => self.store.get(queue, ids, what).await,
        }
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        match &self.fault {
            Fault::ListFails(left) if fails_now(left) => Err(unavailable()),
            _ => self.store.list(query).await,
        }
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        match &self.fault {
            Fault::NoHints => Ok(Box::pin(stream::pending())),
            Fault::HintsEnd => Ok(Box::pin(stream::empty())),
            Fault::HintStorm => Ok(Box::pin(stream::repeat(queue::queue_core::Hint::Missed))),
            Fault::VagueHints => {
                let hints = self.store.subscribe(queue, Interest::All).await?;
                Ok(Box::pin(hints.map(|_| queue::queue_core::Hint::Missed)))
            }
            Fault::SubscribeHangs => future::pending().await,
            Fault::OneConnection(_) => {
                let _connection = self.connection().await;
                tokio::time::sleep(SUBSCRIBING).await;
                self.store.subscribe(queue, interest).await
            }
            Fault::StreamsCounted(held) => {
                let counted = Counted::new(held);
                let hints = self.store.subscribe(queue, interest).await?;
                Ok(Box::pin(hints.inspect(move |_| counted.is_held())))
            }
            _ => self.store.subscribe(queue, interest).await,
        }
    }
}

/// Counts itself while it exists.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(held: &Arc<AtomicUsize>) -> Self {
        held.fetch_add(1, Ordering::SeqCst);
        Self(held.clone())
    }

    /// A method for closures to call, so that they own the value.
    fn is_held(&self) {
        assert!(self.0.load(Ordering::SeqCst) > 0);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Bytes as another program would write them.
pub(crate) fn raw(bytes: &'static str, content_type: &'static str) -> queue::Raw {
    queue::Raw(Payload::new(bytes, queue::ContentType::from_static(content_type)))
}
