//! The handle: the `Storage` contract on top of the writer thread.

use crate::{
    FsUsage, flusher,
    options::{Flush, FsOptions},
    sys::Fs,
    wakeup,
    writer::{
        FsAnnounce, FsApply, FsClaim, FsCommitter, FsCountJobs, FsDiagnose, FsEnqueue, FsGet, FsHandle,
        FsImport, FsList, FsListPartitions, FsListQueues, FsListWorkers, FsMeasure, FsPruneSome,
        FsReadAttempts, FsReadLimits, FsReadSeries, FsSetDuty, FsSetLimits, FsSetPaused, FsVerify,
        FsWriteSeries, start,
    },
};
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Durability, Duty, Enqueued, Error,
    EventReach, EventStream, Finding, ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind,
    Limit, LimitScope, ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest,
    QueueName, QueuesPage, QueuesQuery, Reach, Result, SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped,
    Storage, WorkerId, WorkerInfo, lifecycle::Transition,
};
use queue_store::{
    group_commit::Writer,
    watcher::{LazyWatcher, Watcher},
};
use std::{sync::Arc, time::Duration};

/// A handle on the jobs in one directory.
///
/// Any number of handles and processes of one host may share the directory. The handle owns its
/// threads: the writer, a watcher for foreign writes from the first subscription on, and a flusher
/// if flushes are timed. They end with [`close`], or when the handle is dropped, which waits for
/// the record being written.
///
/// # Dropped futures
/// A verb that was handed to the writer runs to its end, and is durable or undone as a whole. A
/// claim whose future is dropped before its turn is skipped; leases of a claim dropped later are
/// given back in the next transaction.
///
/// [`close`]: Storage::close
#[derive(Debug)]
pub struct FsStorage {
    // The fields drop in this order: first the two threads that call the writer, then the writer.
    watcher: LazyWatcher,
    flusher: Mutex<Option<Watcher>>,
    writer: Arc<Writer<FsCommitter>>,
    fs: Arc<dyn Fs>,
    shared: Arc<FsHandle>,
}

impl FsStorage {
    /// Opens a directory, makes it if the options say so, and reads its journal.
    ///
    /// Dropping the future may leave a directory that is new and empty.
    ///
    /// # Errors
    /// `Invalid` for a path that cannot be used, which is left as it is, `Unsupported` for a
    /// journal of a version with another layout, `Corrupt` for one that is damaged, with a
    /// [`Damage`](crate::Damage) as its source, and `Unavailable` while another process keeps it
    /// locked.
    pub async fn open(options: FsOptions) -> Result<Self> {
        let options = options.checked()?;
        let shared = FsHandle::new(options, Arc::default());
        let (writer, fs) = start(shared.clone()).await?;
        let writer = Arc::new(writer);
        let flusher = match shared.options.flush {
            Flush::Every(interval) => Some(flusher::start(shared.clone(), writer.clone(), interval)?),
            Flush::Always | Flush::Never => None,
        };
        Ok(Self { watcher: LazyWatcher::default(), flusher: Mutex::new(flusher), writer, fs, shared })
    }

    /// What the store takes up, on the disk and in this handle's memory.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use queue_fs::{FsOptions, FsStorage};
    /// # let directory = tempfile::tempdir()?;
    /// let store = FsStorage::open(FsOptions::new(directory.path().join("jobs"))).await?;
    /// assert_eq!(store.usage().await?.jobs, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Closed` after [`close`](Storage::close), and the errors of any read.
    pub async fn usage(&self) -> Result<FsUsage> {
        self.writer.call(FsMeasure).await
    }

    fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.writer.is_closed() { Err(Error::closed(operation)) } else { Ok(()) }
    }
}

#[async_trait]
impl Storage for FsStorage {
    fn capabilities(&self) -> Capabilities {
        let durability = match self.shared.options.flush {
            Flush::Always => Durability::Power,
            Flush::Every(_) | Flush::Never => Durability::Process,
        };
        Capabilities::new("file", durability, Reach::Host)
            .with_events(EventReach::Process)
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_gates()
            .with_partitions()
            .with_import()
            .with_series()
            .with_limits(self.shared.options.limits)
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities().limits.check_enqueue(&groups)?;
        self.writer.call(FsEnqueue { queue: queue.clone(), groups }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.shared.options.limits.check_batch("claim", request.limit)?;
        self.writer.call(FsClaim(request)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities().limits.check_apply(&batch)?;
        self.writer.call(FsApply(batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.writer.call(FsGet { queue: queue.clone(), ids: ids.to_vec(), what }).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.writer.call(FsList(query)).await?
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        self.writer.call(FsReadAttempts { queue: queue.clone(), ids: ids.to_vec() }).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.writer.call(FsCountJobs(queue.clone())).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.writer.call(FsListQueues(query)).await
    }

    /// Removes in steps of bounded size; dropping the future between two of them leaves the rest in
    /// place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let mut removed = 0;
        let asked = request.limit;
        while removed < asked {
            let limit = FsPruneSome::MAX.min(asked - removed);
            let some = self.writer.call(FsPruneSome(PruneRequest { limit, ..request.clone() })).await?;
            removed += usize::try_from(some).unwrap_or(limit);
            if some < limit as u64 {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        request.check(&self.capabilities().limits)?;
        self.writer.call(FsImport(request)).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.writer.call(FsSetPaused { queue: queue.clone(), kind: kind.cloned(), pause }).await?
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.shared.options.limits.check_batch("set_limits", limits.len())?;
        self.writer.call(FsSetLimits { queue: queue.clone(), limits }).await?
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.writer.call(FsReadLimits(queue.clone())).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.writer.call(FsListPartitions(query)).await
    }

    /// Starts the watcher for foreign writes, if this is the first subscription.
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.check_open("subscribe")?;
        let stream = self.shared.hub.subscribe(queue, interest);
        wakeup::start(&self.watcher, self.shared.clone(), self.writer.clone(), self.fs.clone()).await?;
        Ok(stream)
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        self.writer.call(FsAnnounce { worker, ttl }).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.writer.call(FsSetDuty { worker: worker.clone(), duty }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.writer.call(FsListWorkers).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        self.writer.call(FsWriteSeries { entry, ttl }).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.writer.call(FsReadSeries(query)).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.writer.call(FsVerify).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.writer.call(FsDiagnose(self.shared.options.clone())).await
    }

    async fn close(&self) -> Result<()> {
        self.shared.hub.close();
        self.watcher.stop();
        drop(self.flusher.lock().take());
        self.writer.close().await;
        Ok(())
    }
}
