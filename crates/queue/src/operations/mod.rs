//! Operations: one change to all jobs that a filter selects, which survives the program that
//! started it and leaves a record.
//!
//! An operation is a job of a queue of its own, [`OPERATIONS_QUEUE`], so any worker on that queue
//! runs it, with or without handlers: [`Operations::worker`] builds one that does nothing else.
//! When a worker dies in the middle, another one goes on where it stood, and no job is changed
//! twice. The task page `docs/tasks/bulk.md` says more.

mod plan;
mod status;

pub use plan::Operation;
pub use queue_worker::operations::{
    Action, DRY_RUN_MAX, InvalidOperationId, OPERATION_JOBS_MAX, OPERATION_KEPT, OPERATION_KIND,
    OPERATIONS_QUEUE, OperationCounts, OperationId, OperationSpec, SpecError,
};
pub use status::OperationStatus;

use crate::{Change, UnreadableJob};
#[cfg(feature = "json")]
use crate::{Queue, Raw};
use queue_core::{
    Cursor, Direction, Enqueued, Error, JobId, JobMeta, JobRecord, Kind, ListFilter, ListQuery, QueueFilter,
    QueueName, Result, Storage, StorageExt, Walk,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_worker::{Router, Worker, WorkerBuilder, operations::count_members};
use std::sync::Arc;

/// The most operations on one page of a listing.
const PAGE: usize = 100;
/// The most reads for a page of the operations on some queues.
const READS_MAX: usize = 16;

/// The operations of a store.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use queue::{operations::*, prelude::*, view::Standing};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let store = open("memory:").await?;
/// let emails: Queue<String> = Queue::new(store.clone(), "emails")?;
/// emails.enqueue("a", "hello".to_owned()).await?;
///
/// let operations = Operations::of(store);
/// let all = Operation::on("emails", Action::Cancel { processing: OnProcessing::Leave }).standing(Standing::Due);
/// assert_eq!(operations.dry_run(&all).await?.jobs, 1);
/// operations.start("stop-the-emails", &all).await?;
/// operations.worker().until_empty().build()?.run().await;
///
/// let ended = operations.get(&"emails/stop-the-emails".parse()?).await?.expect("it was started");
/// assert!(ended.is_over());
/// assert_eq!(ended.counts().done, 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Operations {
    storage: Arc<dyn Storage>,
    name: QueueName,
}

/// A page of operations; see [`Operations::page`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OperationsPage {
    /// The newest first.
    pub operations: Vec<OperationStatus>,
    /// Those that this program cannot read, and another may; the newest first.
    pub unreadable: Vec<UnreadableJob>,
    /// Where the next page begins; `None` at the end. A page may be empty and not be the last.
    pub next: Option<Cursor>,
}

/// What a dry run has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRun {
    /// How many jobs the operation would meet, as far as they were counted.
    pub jobs: u64,
    /// There are more, which were not counted.
    pub has_more: bool,
}

/// The answer to the start of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Started {
    /// The operation is stored, and runs as soon as a worker has room for it.
    New,
    /// The same operation was started before under this id; it is not run again.
    Before,
}

impl Operations {
    /// The operations of a store.
    pub fn of(storage: Arc<dyn Storage>) -> Self {
        Self { storage, name: QueueName::from_static(OPERATIONS_QUEUE) }
    }

    /// Counts the jobs that an operation would meet if it began now, up to [`DRY_RUN_MAX`], and
    /// changes nothing.
    ///
    /// # Errors
    /// `Invalid` for an operation that can do nothing, with the [`SpecError`] as its source;
    /// `Unsupported` if the store cannot do it; and the errors of the store.
    pub async fn dry_run(&self, operation: &Operation) -> Result<DryRun> {
        let spec = self.begun(operation).await?;
        let found = count_members(&*self.storage, &spec, DRY_RUN_MAX).await?;
        Ok(DryRun { jobs: found.min(DRY_RUN_MAX), has_more: found > DRY_RUN_MAX })
    }

    /// Stores an operation, which is then about the jobs of this moment: jobs that are enqueued
    /// later, or that end later, are left alone. Started twice under one name it runs once. Each
    /// queue has names of its own: the [`OperationId`] has both.
    ///
    /// # Errors
    /// The errors of [`dry_run`](Self::dry_run), and `Invalid` for a name that [`OperationId::new`]
    /// refuses, or that another operation on this queue has. A dropped future leaves the operation
    /// stored or not.
    pub async fn start(&self, name: impl AsRef<str>, operation: &Operation) -> Result<Started> {
        let id = OperationId::new(&operation.queue()?, name.as_ref())?;
        let spec = self.begun(operation).await?;
        let stored = self.storage.enqueue(&self.name, vec![vec![spec.job(id.job().clone())]]).await?.value;
        if stored.iter().flatten().any(Enqueued::is_new) {
            return Ok(Started::New);
        }
        match self.get(&id).await? {
            Some(before) if before.spec().asks_the_same(&spec) => Ok(Started::Before),
            _ => Err(Error::invalid("operation", format!("another operation has the id {id:?}; choose one"))),
        }
    }

    /// One operation; `None` if there is none, or none any more.
    ///
    /// # Errors
    /// `Unsupported` if another program may read it and this one cannot, `Corrupt` if no version
    /// can, and the errors of the store.
    pub async fn get(&self, id: &OperationId) -> Result<Option<OperationStatus>> {
        self.read(std::slice::from_ref(id.job())).await?.pop().map(OperationStatus::of).transpose()
    }

    /// All operations whose records are kept, the newest first. Records are kept for 90 days.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn list(&self) -> Result<OperationsPage> {
        let mut found = OperationsPage::default();
        loop {
            let page = self.page(found.next, PAGE).await?;
            found.operations.extend(page.operations);
            found.unreadable.extend(page.unreadable);
            found.next = page.next;
            if found.next.is_none() {
                return Ok(found);
            }
        }
    }

    /// A page of the operations whose records are kept, the newest first.
    ///
    /// # Errors
    /// The errors of the store, and `Invalid` for a limit or a cursor that it refuses.
    pub async fn page(&self, after: Option<Cursor>, limit: usize) -> Result<OperationsPage> {
        self.page_where(after, limit, |_| true).await
    }

    async fn page_where(
        &self,
        after: Option<Cursor>,
        limit: usize,
        is_wanted: impl Fn(&JobId) -> bool,
    ) -> Result<OperationsPage> {
        let filter = ListFilter { kind: Some(Kind::from_static(OPERATION_KIND)), ..ListFilter::default() };
        let walk = Walk::All(Direction::NewestFirst);
        let query = ListQuery { after, ..ListQuery::new(self.name.clone(), walk, limit).matching(filter) };
        let page = self.storage.list(query).await?;
        let ids: Vec<JobId> = page.jobs.into_iter().map(|job| job.id).filter(is_wanted).collect();
        Ok(OperationsPage { next: page.next, ..sorted(self.read(&ids).await?)? })
    }

    /// A page of the operations on the queues that fit a filter, the newest first. The bound counts
    /// after the filter, and sixteen reads are made at most: a page may be empty and not be the
    /// last.
    ///
    /// # Errors
    /// The errors of [`page`](Self::page).
    pub async fn page_of(
        &self,
        queues: &QueueFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<OperationsPage> {
        let is_wanted =
            |id: &JobId| id.as_str().parse::<OperationId>().is_ok_and(|id| queues.matches(id.queue()));
        let mut found = OperationsPage { next: after, ..OperationsPage::default() };
        for _ in 0..READS_MAX {
            let missing = limit - found.operations.len() - found.unreadable.len();
            let page = self.page_where(found.next, missing, is_wanted).await?;
            found.operations.extend(page.operations);
            found.unreadable.extend(page.unreadable);
            found.next = page.next;
            let is_full = found.operations.len() + found.unreadable.len() >= limit;
            if is_full || found.next.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// Cancels an operation: at once if it waits, after its present page if it runs
    /// ([`Change::Requested`]). What it has done stays done, and its record says how much.
    ///
    /// # Errors
    /// `Conflict` if the record kept changing; and the errors of the store.
    pub async fn cancel(&self, id: &OperationId) -> Result<Change> {
        let event = Event::Cancel { processing: OnProcessing::Request };
        Change::of_cancel(&self.storage.change(&self.name, id.job(), event, &Policy::default()).await?)
    }

    /// A worker that runs operations and nothing else. Any other worker runs them too if it works
    /// on the queue [`OPERATIONS_QUEUE`].
    pub fn worker(&self) -> WorkerBuilder {
        Worker::builder(self.storage.clone(), self.name.clone(), Router::new(())).concurrency(1)
    }

    /// The queue of the operations, for calls that show jobs.
    ///
    /// # Errors
    /// The errors of [`Queue::new`], none of which this name causes.
    #[cfg(feature = "json")]
    pub fn queue(&self) -> Result<Queue<Raw, Raw>> {
        Queue::new(self.storage.clone(), &self.name)
    }

    /// The operation as it would begin now: with the newest job, by which its jobs are fixed.
    async fn begun(&self, operation: &Operation) -> Result<OperationSpec> {
        let queue = operation.queue()?;
        let newest = ListQuery::new(queue.clone(), Walk::All(Direction::NewestFirst), 1);
        let page = self.storage.list(newest).await?;
        operation.begun(queue, page.jobs.first(), page.now)
    }

    /// The operations among these ids; jobs of other kinds are none.
    async fn read(&self, ids: &[JobId]) -> Result<Vec<JobRecord>> {
        let records = self.storage.get_whole(&self.name, ids).await?.value;
        let is_one = |record: &JobRecord| record.meta.kind.as_str() == OPERATION_KIND;
        Ok(records.into_iter().flatten().filter(is_one).collect())
    }
}

/// A page of these operations: those that can be read, and those that cannot.
pub(crate) fn sorted(records: impl IntoIterator<Item = JobRecord>) -> Result<OperationsPage> {
    let mut page = OperationsPage::default();
    for record in records {
        let meta = record.meta.clone();
        let id = |meta: &JobMeta| meta.id.to_string();
        match UnreadableJob::unless_read(OperationStatus::of(record), id, meta)? {
            Ok(status) => page.operations.push(status),
            Err(unreadable) => page.unreadable.push(unreadable),
        }
    }
    Ok(page)
}
