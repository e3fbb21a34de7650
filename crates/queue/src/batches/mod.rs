//! Batches: many jobs, and callbacks once all of them have ended. A batch is itself a job, and
//! every worker and consumer of the queue has the handler of its kind, so there is no table and no
//! extra process.
//!
//! The store counts the members, in the steps that add and end them: a producer need not be alive
//! at the end, and may repeat all its calls. A member has ended when it completed, or failed for
//! good, or was cancelled or deleted, or expired; one that waits for a further try has not.

mod add;
mod batch;
mod batch_error;
mod builder;
mod callback_kind;
mod details;
mod found;
mod status;
mod sweep;
mod view;

pub use batch::Batch;
pub use batch_error::BatchError;
pub use builder::BatchBuilder;
pub use callback_kind::CallbackKind;
pub use details::BatchDetails;
pub use queue_worker::batches::{
    BATCH_KIND, BATCH_NAME_BYTES_MAX, BatchCounts, BatchEnd, BatchLife, BatchName, BatchOfMember,
    BatchProgress, BatchSpec, BatchSpecError, CallbackMoment, CallbackSpec, ContextBatch, EndedBatch,
    HALT_KIND, HaltSpec, InvalidBatchName, InvalidMember, OnTimeout,
};
pub use status::BatchStatus;
pub use sweep::BatchSweep;

use crate::{Change, Queue, UnreadableJob};
use found::FoundBatch;
use queue_core::{Cursor, Direction, JobId, Kind, ListFilter, ListQuery, Result, StorageExt, Walk};
use queue_worker::batches::coordinator_tag;

/// The batches of a queue; see [`Queue::batches`].
#[derive(Clone, Debug)]
pub struct Batches<P, R = ()> {
    queue: Queue<P, R>,
}

/// A page of batches; see [`Batches::list`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BatchesPage {
    /// The newest first.
    pub batches: Vec<BatchStatus>,
    /// Batches that this program cannot read, and another may; the newest first.
    pub unreadable: Vec<UnreadableJob>,
    /// Where the next page begins; `None` at the end. A page may be empty and not be the last.
    pub next: Option<Cursor>,
}

impl<P, R> Queue<P, R> {
    /// Begins to describe a batch of this queue, which is opened by [`BatchBuilder::open`]. The
    /// name has 1 to 36 bytes without `@` and `/`. The members have the kind of this handle, or
    /// another one of the same queue by [`Batch::of`].
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::{batches::BatchEnd, prelude::*};
    ///
    /// const ROW: JobKind<u32> = JobKind::new("row");
    /// const REPORT: JobKind<BatchEnd<String>> = JobKind::new("report");
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let imports: Queue<()> = Queue::new(open("memory:").await?, "imports")?;
    /// let batch = imports.of(ROW).batch("import-7").on_end(REPORT, &"ada".to_owned()).open().await?;
    /// batch.add_all([("row-1", 1), ("row-2", 2)]).await?;
    /// batch.seal().await?;
    ///
    /// let router = Router::new(())
    ///     .handle(ROW, |row, _| async move { if row == 2 { Err("it is odd".into()) } else { Ok(()) } })?
    ///     .handle(REPORT, |end, _| async move {
    ///         Ok(println!("for {}: {} of {} rows", end.payload, end.completed, end.added))
    ///     })?;
    /// # let _ = router;
    /// assert_eq!(batch.status().await?.waiting, 2);
    /// # Ok(()) }
    /// ```
    pub fn batch(&self, name: impl AsRef<str>) -> BatchBuilder<P, R> {
        BatchBuilder::new(self.clone(), name.as_ref())
    }

    /// The batches of this queue, to find, read and stop them.
    pub fn batches(&self) -> Batches<P, R> {
        Batches { queue: self.clone() }
    }
}

impl<P, R> Batches<P, R> {
    /// A handle on the batch of this name, for members of the kind of this handle; `None` if there
    /// is none. A process that adds members need not know how the batch was opened.
    ///
    /// # Errors
    /// `Invalid` for an invalid name, and with [`BatchError::NameTaken`] if another job has the id
    /// of the batch; `Unsupported` if another program may read the stored batch and this one
    /// cannot, `Corrupt` if no version can; and the errors of the store.
    pub async fn find(&self, name: impl AsRef<str>) -> Result<Option<Batch<P, R>>> {
        let found = self.found(&BatchName::new(name)?).await?;
        Ok(found.map(|found| self.handle(found)))
    }

    /// The status of the batch of this name; `None` if there is none, or none any more.
    ///
    /// # Errors
    /// The errors of [`find`](Self::find).
    pub async fn get(&self, name: impl AsRef<str>) -> Result<Option<BatchStatus>> {
        let Some(found) = self.found(&BatchName::new(name)?).await? else { return Ok(None) };
        // The job that cancels a batch has the number of its life in its id.
        let found = FoundBatch::by_life(&self.queue.shared, &found.life).await?;
        Ok(found.map(BatchStatus::of))
    }

    /// A page of the batches whose records are kept, the newest first.
    ///
    /// # Errors
    /// The errors of the store, and `Invalid` for a limit or a cursor that it refuses.
    pub async fn list(&self, after: Option<Cursor>, limit: usize) -> Result<BatchesPage> {
        let (storage, queue) = (self.queue.storage(), self.queue.name());
        let filter = ListFilter { kind: Some(Kind::from_static(BATCH_KIND)), ..ListFilter::default() };
        let walk = Walk::Tagged(coordinator_tag(), Direction::NewestFirst);
        let query = ListQuery { after, ..ListQuery::new(queue.clone(), walk, limit).matching(filter) };
        let listed = storage.list(query).await?;
        let lives: Vec<BatchLife> = listed.jobs.iter().filter_map(BatchLife::of).collect();
        let ids: Vec<JobId> = lives.iter().flat_map(|life| [life.coordinator(), life.halt()]).collect();
        let mut page = BatchesPage { next: listed.next, ..BatchesPage::default() };
        if ids.is_empty() {
            return Ok(page);
        }
        let mut records = storage.get_whole(queue, &ids).await?.value.into_iter();
        for life in lives {
            let (coordinator, halt) = (records.next().flatten(), records.next().flatten());
            let Some(record) = coordinator.filter(|record| life.is(&record.meta)) else { continue };
            let meta = record.meta.clone();
            let status = FoundBatch::of(record, halt, life.name()).map(BatchStatus::of);
            match UnreadableJob::unless_read(status, |_| life.name().to_string(), meta)? {
                Ok(status) => page.batches.push(status),
                Err(unreadable) => page.unreadable.push(unreadable),
            }
        }
        Ok(page)
    }

    /// Cancels a batch: it is sealed at once, members that wait are cancelled, those that run are
    /// asked to stop, and so are members that these still add. It ends once all of them have ended,
    /// and then its callbacks run, which see [`BatchEnd::was_cancelled`]. The workers of the queue
    /// do all but the seal, page by page, and claim other members meanwhile: of many members that
    /// wait some still run. A second call changes nothing.
    ///
    /// The answer is [`Change::Requested`], also to a second call, and [`Change::Missing`] if there
    /// is no such batch.
    ///
    /// # Errors
    /// `Invalid` for an invalid name; and [`BatchError::Ended`] for a batch that has ended or was
    /// abandoned, also if its last member has just ended. A dropped future leaves it asked for or
    /// not.
    pub async fn cancel(&self, name: impl AsRef<str>) -> Result<Change> {
        let Some(found) = self.found(&BatchName::new(name)?).await? else { return Ok(Change::Missing) };
        self.handle(found).cancel().await
    }

    /// Abandons a batch: none of its callbacks runs any more, its members go on, and its name is
    /// free. The members are kept until [`sweep`](Self::sweep) ends their records, or they are
    /// deleted.
    ///
    /// The answer is [`Change::Done`], also to a second call, and [`Change::Missing`] if there is
    /// no such batch.
    ///
    /// # Errors
    /// `Invalid` for an invalid name; [`BatchError::Ended`] for a batch that has ended, whose
    /// callbacks are enqueued; `Conflict` if a worker holds the batch for several seconds; and the
    /// errors of the store. A dropped future leaves it abandoned or not.
    pub async fn abandon(&self, name: impl AsRef<str>) -> Result<Change> {
        let Some(found) = self.found(&BatchName::new(name)?).await? else { return Ok(Change::Missing) };
        self.handle(found).abandon().await
    }

    fn handle(&self, found: FoundBatch) -> Batch<P, R> {
        Batch::new(self.queue.clone(), found.life, found.spec.is_urgent())
    }

    async fn found(&self, name: &BatchName) -> Result<Option<FoundBatch>> {
        FoundBatch::by_name(&self.queue.shared, name).await
    }
}
