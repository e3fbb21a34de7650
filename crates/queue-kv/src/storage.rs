//! The handle: hands each verb to the thread that runs it.

use crate::{
    KvDatabase,
    reader::{self, Readers},
    writer::{
        Commits, KvAnnounce, KvApply, KvClaim, KvEnqueue, KvImport, KvPruneSome, KvSetDuty, KvSetLimits,
        KvSetPaused, KvWriteSeries, start,
    },
};
use async_trait::async_trait;
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, Error,
    EventStream, ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope,
    ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage,
    QueuesQuery, Result, SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped, Storage, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use queue_store::{Hub, group_commit::Writer};
use std::{sync::Arc, time::Duration};

/// A handle on the jobs in a [`KvDatabase`].
///
/// A handle owns its threads: one that writes and two that read. They end with
/// [`close`](Storage::close), or when the handle is dropped, which waits for the present
/// transaction.
///
/// # Dropped futures
/// A verb that was handed to the writing thread runs to its end, and is durable or undone as a
/// whole. A claim whose future is dropped before its turn is skipped; jobs leased by a claim that
/// is dropped later are given back in the next transaction.
#[derive(Debug)]
pub struct KvStorage {
    capabilities: Capabilities,
    hub: Arc<Hub>,
    readers: Readers,
    writer: Writer<Commits>,
}

impl KvStorage {
    /// Opens a handle, and starts its threads.
    ///
    /// # Errors
    /// `Unavailable` if no thread can be started. Dropping the future opens nothing.
    pub async fn open(database: Arc<KvDatabase>) -> Result<Self> {
        let capabilities = database.capabilities.clone();
        let readers = Readers::start(&database)?;
        let (writer, hub) = start(database).await?;
        Ok(Self { capabilities, hub, readers, writer })
    }

    fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.capabilities.limits.answer_bytes_max)
    }
}

#[async_trait]
impl Storage for KvStorage {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities.limits.check_enqueue(&groups)?;
        self.writer.call(KvEnqueue { queue: queue.clone(), groups }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.capabilities.limits.check_batch("claim", request.limit)?;
        self.writer.call(KvClaim(request)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities.limits.check_apply(&batch)?;
        self.writer.call(KvApply(batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let queue = queue.clone();
        let ids = ids.to_vec();
        let room = self.answer_room();
        self.readers.call("get", move |view| view.records(&queue, &ids, what, room)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.readers.call("list", move |view| view.list(&query)).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        let (queue, ids) = (queue.clone(), ids.to_vec());
        self.readers.call("attempts", move |view| view.job_attempts(&queue, &ids)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let queue = queue.clone();
        self.readers.call("counts", move |view| view.counts(&queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.readers.call("queues", move |view| view.queues(&query)).await
    }

    /// Removes records in transactions of bounded size; dropping the future between two of them
    /// leaves the rest in place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let mut removed = 0;
        while removed < request.limit {
            let limit = KvPruneSome::MAX.min(request.limit - removed);
            let some = KvPruneSome { queue: request.queue.clone(), what: request.what, limit };
            let pruned = self.writer.call(some).await;
            // An error's certainty speaks for the whole call, so after a removal the outcome is
            // unknown.
            let pruned = pruned.map_err(|error| if removed > 0 { error.unknown() } else { error })?;
            removed += pruned;
            if pruned < limit {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        request.check(&self.capabilities.limits)?;
        self.writer.call(KvImport(request)).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.writer.call(KvSetPaused { queue: queue.clone(), kind: kind.cloned(), pause }).await?
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.writer.call(KvSetLimits::checked(queue.clone(), limits)?).await?
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        let queue = queue.clone();
        self.readers.call("limits", move |view| view.limits(&queue)).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.readers.call("partitions", move |view| view.partitions(&query)).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        if self.writer.is_closed() {
            return Err(Error::closed("subscribe"));
        }
        Ok(self.hub.subscribe(queue, interest))
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        self.writer.call(KvAnnounce { worker, ttl }).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.writer.call(KvSetDuty { worker: worker.clone(), duty }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.readers.call("workers", reader::workers).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        self.writer.call(KvWriteSeries { entry, ttl }).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.readers.call("read_series", move |view| view.series(&query)).await
    }

    /// Reads the whole database, and keeps its keys in memory.
    async fn verify(&self) -> Result<Vec<String>> {
        self.readers.call("verify", reader::verify).await
    }

    async fn close(&self) -> Result<()> {
        self.hub.close();
        self.readers.close().await;
        self.writer.close().await;
        Ok(())
    }
}
