//! A layer in front of a store: passes on every call that it does not define itself.

mod every_layer;

use crate::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding,
    ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery,
    NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery,
    Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use async_trait::async_trait;
use std::{any::Any, fmt::Debug, time::Duration};

/// A store in front of another one. It passes on every call that it does not define itself. Use it
/// to measure, check or record calls, or to inject faults.
///
/// Every layer is a [`Storage`].
///
/// ```
/// use async_trait::async_trait;
/// use queue_core::{ClaimRequest, Claimed, Result, Storage, StorageLayer};
/// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
///
/// /// Counts what is claimed.
/// #[derive(Debug)]
/// struct Metered {
///     store: Arc<dyn Storage>,
///     claimed: AtomicU64,
/// }
///
/// #[async_trait]
/// impl StorageLayer for Metered {
///     type Inner = dyn Storage;
///
///     fn inner(&self) -> &dyn Storage {
///         &*self.store
///     }
///
///     async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
///         let claimed = self.store.claim(request).await?;
///         self.claimed.fetch_add(claimed.jobs.len() as u64, Ordering::Relaxed);
///         Ok(claimed)
///     }
/// }
///
/// fn metered(store: Arc<dyn Storage>) -> Arc<dyn Storage> {
///     Arc::new(Metered { store, claimed: AtomicU64::new(0) })
/// }
/// ```
#[async_trait]
pub trait StorageLayer: Debug + Send + Sync + 'static {
    /// The type of the inner store; `dyn Storage` stands for any.
    type Inner: Storage + ?Sized;

    /// The inner store.
    fn inner(&self) -> &Self::Inner;

    /// Awaits the call of every verb that the layer does not define itself. A layer defines this
    /// for what it does around all calls alike, such as counting them. `queue` is the queue that
    /// the call is about; `None` if it is about several or all. The layer has to await the call.
    fn around<T: Send>(
        &self,
        _verb: &'static str,
        _queue: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> impl Future<Output = Result<T>> + Send {
        call
    }

    /// See [`Storage::capabilities`].
    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    /// See [`Storage::concrete`].
    fn concrete(&self) -> Option<&dyn Any> {
        self.inner().concrete()
    }

    /// See [`Storage::enqueue`].
    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.around("enqueue", Some(queue), self.inner().enqueue(queue, groups)).await
    }

    /// See [`Storage::claim`].
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let queue = request.queue.clone();
        self.around("claim", Some(&queue), self.inner().claim(request)).await
    }

    /// See [`Storage::apply`].
    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.around("apply", None, self.inner().apply(batch)).await
    }

    /// See [`Storage::get`].
    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.around("get", Some(queue), self.inner().get(queue, ids, what)).await
    }

    /// See [`Storage::list`].
    async fn list(&self, query: ListQuery) -> Result<Page> {
        let queue = query.queue.clone();
        self.around("list", Some(&queue), self.inner().list(query)).await
    }

    /// See [`Storage::attempts`].
    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.around("attempts", Some(queue), self.inner().attempts(queue, ids)).await
    }

    /// See [`Storage::counts`].
    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.around("counts", Some(queue), self.inner().counts(queue)).await
    }

    /// See [`Storage::queues`].
    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.around("queues", None, self.inner().queues(query)).await
    }

    /// See [`Storage::prune`].
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let queue = request.queue.clone();
        self.around("prune", Some(&queue), self.inner().prune(request)).await
    }

    /// See [`Storage::import`].
    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        let queue = request.queue.clone();
        self.around("import", Some(&queue), self.inner().import(request)).await
    }

    /// See [`Storage::set_paused`].
    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.around("set_paused", Some(queue), self.inner().set_paused(queue, kind, pause)).await
    }

    /// See [`Storage::set_limits`].
    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.around("set_limits", Some(queue), self.inner().set_limits(queue, limits)).await
    }

    /// See [`Storage::limits`].
    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.around("limits", Some(queue), self.inner().limits(queue)).await
    }

    /// See [`Storage::partitions`].
    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        let queue = query.queue.clone();
        self.around("partitions", Some(&queue), self.inner().partitions(query)).await
    }

    /// See [`Storage::subscribe`].
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.around("subscribe", Some(queue), self.inner().subscribe(queue, interest)).await
    }

    /// See [`Storage::announce`].
    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.around("announce", None, self.inner().announce(worker, ttl)).await
    }

    /// See [`Storage::set_duty`].
    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.around("set_duty", None, self.inner().set_duty(worker, duty)).await
    }

    /// See [`Storage::workers`].
    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.around("workers", None, self.inner().workers()).await
    }

    /// See [`Storage::write_series`].
    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.around("write_series", None, self.inner().write_series(entry, ttl)).await
    }

    /// See [`Storage::read_series`].
    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.around("read_series", None, self.inner().read_series(query)).await
    }

    /// See [`Storage::verify`].
    async fn verify(&self) -> Result<Vec<String>> {
        self.around("verify", None, self.inner().verify()).await
    }

    /// See [`Storage::diagnose`].
    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.around("diagnose", None, self.inner().diagnose()).await
    }

    /// See [`Storage::close`].
    async fn close(&self) -> Result<()> {
        self.around("close", None, self.inner().close()).await
    }
}
