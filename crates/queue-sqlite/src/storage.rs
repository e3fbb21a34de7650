//! The handle: the `Storage` contract on top of the writer thread and the readers.

use crate::{
    clock::SqliteClock,
    files::FileGuard,
    options::{SqliteOptions, Synchronous},
    own_commits::OwnCommits,
    reader::{self, READERS, Readers},
    wakeup,
    writer::{
        Database, SqliteAnnounce, SqliteApply, SqliteClaim, SqliteEnqueue, SqliteHandle, SqliteImport,
        SqlitePruneSome, SqliteSetDuty, SqliteSetLimits, SqliteSetPaused, SqliteWriteSeries, start,
    },
};
use async_trait::async_trait;
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Durability, Duty, Enqueued,
    Error, EventReach, EventStream, Finding, ImportRequest, Imported, Interest, JobAttempts, JobId,
    JobRecord, Kind, Limit, LimitScope, ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause,
    PruneRequest, QueueName, QueuesPage, QueuesQuery, Reach, Result, SeriesEntry, SeriesPage, SeriesQuery,
    Span, Stamped, Storage, WorkerId, WorkerInfo, lifecycle::Transition,
};
use queue_store::{group_commit::Writer, watcher::LazyWatcher};
use std::{any::Any, sync::Arc, time::Duration};

/// A handle on the jobs in one SQLite file.
///
/// Any number of handles and processes of one host may share the file. The handle owns its threads:
/// a writer, a few readers, and a watcher for foreign writes from the first subscription on. They
/// end with [`close`], or when the handle is dropped, which waits for the current transaction.
///
/// # Files that are taken away
/// Once a second, before it answers, the handle looks whether the path still leads to the files
/// that it opened. If they were removed, renamed or replaced, every verb answers `Closed` from then
/// on, with a message that says what happened.
///
/// # Dropped futures
/// A verb that was handed to the writer runs to its end, and is durable or undone as a whole. A
/// claim whose future is dropped before its turn is skipped; leases of a claim dropped later are
/// given back in the next transaction.
///
/// [`close`]: Storage::close
#[derive(Debug)]
pub struct SqliteStorage {
    // The fields drop in this order: the writer comes last, so that its connection cleans up the
    // log.
    watcher: LazyWatcher,
    readers: Readers,
    writer: Writer<Database>,
    pub(crate) shared: Arc<SqliteHandle>,
}

impl SqliteStorage {
    /// Opens a file, makes it if the options say so, and brings its tables up to date.
    ///
    /// Dropping the future may leave a file that is new and empty, or up to date.
    ///
    /// # Errors
    /// `Invalid` for a path that cannot be used, and for a file without our tables if none are to
    /// be made, `Unsupported` for a file of a newer version of this library, `Corrupt` for one that
    /// is no database, `Unavailable` while another process keeps it locked.
    pub async fn open(options: SqliteOptions) -> Result<Self> {
        let options = options.checked()?;
        let clock = SqliteClock::new(options.clock.clone(), options.clock_bound);
        let own_commits = OwnCommits::default();
        let hub = Arc::default();
        let files = FileGuard::default();
        let shared = Arc::new(SqliteHandle { options, clock, hub, files, own_commits });
        let (writer, readers) = start(shared.clone(), READERS).await?;
        let readers = Readers::start(&shared, readers)?;
        Ok(Self { watcher: LazyWatcher::default(), readers, writer, shared })
    }

    pub(crate) fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.writer.is_closed() { Err(Error::closed(operation)) } else { Ok(()) }
    }
}

#[async_trait]
impl Storage for SqliteStorage {
    fn capabilities(&self) -> Capabilities {
        let durability = match self.shared.options.synchronous {
            Synchronous::Full => Durability::Power,
            Synchronous::Normal => Durability::Process,
        };
        Capabilities::new("sqlite", durability, Reach::Host)
            .with_events(EventReach::Process)
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_import()
            .with_series()
            .with_gates()
            .with_partitions()
            .with_limits(self.shared.options.limits)
    }

    fn concrete(&self) -> Option<&dyn Any> {
        Some(self)
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.shared.options.limits.check_enqueue(&groups)?;
        self.writer.call(SqliteEnqueue { queue: queue.clone(), groups }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.shared.options.limits.check_batch("claim", request.limit)?;
        self.writer.call(SqliteClaim(request)).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.shared.options.limits.check_apply(&batch)?;
        self.writer.call(SqliteApply(batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let queue = queue.clone();
        let ids = ids.to_vec();
        let room = AnswerRoom::new(self.shared.options.limits.answer_bytes_max);
        self.readers.call("get", move |snapshot| snapshot.get(&queue, &ids, what, room)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.readers.call("list", move |snapshot| snapshot.list(&query)).await?
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        let (queue, ids) = (queue.clone(), ids.to_vec());
        self.readers.call("attempts", move |snapshot| snapshot.attempts(&queue, &ids)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let queue = queue.clone();
        self.readers.call("counts", move |snapshot| snapshot.counts(&queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.readers.call("queues", move |snapshot| snapshot.queues(&query)).await
    }

    /// Removes in transactions of bounded size; dropping the future between two of them leaves the
    /// rest in place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let mut removed = 0;
        while removed < request.limit {
            let limit = SqlitePruneSome::MAX.min(request.limit - removed);
            let some = SqlitePruneSome { queue: request.queue.clone(), what: request.what, limit };
            let batch = self.writer.call(some).await?;
            removed += batch;
            if batch < limit {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        self.writer.call(SqliteImport::checked(request, &self.shared.options.limits)?).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.writer.call(SqliteSetPaused { queue: queue.clone(), kind: kind.cloned(), pause }).await?
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.shared.options.limits.check_batch("set_limits", limits.len())?;
        self.writer.call(SqliteSetLimits::checked(queue.clone(), limits)?).await?
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        let queue = queue.clone();
        self.readers.call("limits", move |snapshot| snapshot.limits(&queue)).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.readers.call("partitions", move |snapshot| snapshot.partitions(&query)).await
    }

    /// Starts the watcher for foreign writes, if this is the first subscription.
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.check_open("subscribe")?;
        let stream = self.shared.hub.subscribe(queue, interest);
        wakeup::start(&self.watcher, self.shared.clone()).await?;
        Ok(stream)
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        self.writer.call(SqliteAnnounce { worker, ttl }).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.writer.call(SqliteSetDuty { worker: worker.clone(), duty }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.readers.call("workers", reader::workers).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        self.writer.call(SqliteWriteSeries { entry, ttl }).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.readers.call("read_series", move |snapshot| snapshot.series(&query)).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.readers.call("verify", reader::verify).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        let options = self.shared.options.clone();
        self.readers.call("diagnose", move |snapshot| reader::diagnose(snapshot, &options)).await
    }

    async fn close(&self) -> Result<()> {
        self.shared.hub.close();
        self.watcher.stop();
        self.readers.close().await;
        self.writer.close().await;
        Ok(())
    }
}
