//! Ends the records of the members of a batch that was abandoned.

use super::{Batch, BatchError, BatchLife, Batches, builder::KEEP, found::FoundBatch};
use futures_util::TryStreamExt;
use queue_core::{Detail, JobId, JobMeta, Result, Retention, Span, State, StorageExt, lifecycle::Event};
use std::pin::pin;

/// The answer to a sweep: what the operation does that ends the records of the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub enum BatchSweep {
    /// It is begun, by this call, by an earlier one or by the end of the batch, and a worker of the
    /// queue runs it.
    Sweeping,
    /// It has run, and nothing is left to do.
    Swept,
    /// It was cancelled or failed before its end. Its record is kept for a day, and a call after
    /// that begins another one.
    Stopped,
}

impl BatchSweep {
    const fn of(operation: State) -> Self {
        match operation {
            State::Completed => Self::Swept,
            State::Failed | State::Cancelled => Self::Stopped,
            _ => Self::Sweeping,
        }
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sweeping => "sweeping",
            Self::Swept => "swept",
            Self::Stopped => "stopped",
        }
    }
}

impl<P, R> Batches<P, R> {
    /// Ends the records of the members of a batch that is over, as a batch that ends does by
    /// itself: they are kept for as long as the `keep` of the batch says, from now on, and deleted
    /// if that is zero. If the record of the batch was removed, or its name has a later batch, they
    /// are kept for 24 hours. This is for batches that were abandoned, whose members are kept
    /// otherwise until they are deleted.
    ///
    /// The life is the name and the number of the batch. Both are in the ids of its members, such
    /// as `import-7@12/row-1`, so a program that never had a [`Batch`] can make it:
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::{Seq, batches::{BatchLife, BatchName, BatchSweep}, prelude::*};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let imports: Queue<u32> = Queue::new(open("memory:").await?, "imports")?;
    /// # let batch = imports.batch("import-7").open().await?;
    /// # let _ = batch.abandon().await?;
    /// # let number = batch.seq().get();
    /// let life = BatchLife::new(BatchName::new("import-7")?, Seq::new(number));
    /// assert_eq!(imports.batches().sweep(&life).await?, BatchSweep::Sweeping);
    /// # Ok(()) }
    /// ```
    ///
    /// The call begins an operation of the queue of the batch, with the id [`BatchLife::sweep`],
    /// which the workers of this queue run. While its record is kept, for a day after its end,
    /// another call changes nothing, and its answer says how far the operation is. A batch that has
    /// ended began the operation itself.
    ///
    /// # Errors
    /// `Invalid`: with [`BatchError::GoesOn`] for a batch that is not over, or that timed out and
    /// whose members go on; with [`BatchError::MemberGoesOn`] for one that was abandoned, and of
    /// which a member has not ended, since the operation would miss that one; and with
    /// [`BatchError::NoBatch`] if neither the batch nor a member of it is there. All members are
    /// read once, to see whether they have ended. And the errors of the store. A dropped future
    /// leaves the operation begun or not.
    pub async fn sweep(&self, life: &BatchLife) -> Result<BatchSweep> {
        Batch::new(self.queue.clone(), life.clone(), false).sweep().await
    }
}

impl<P, R> Batch<P, R> {
    /// Ends the records of the members of this batch; see [`Batches::sweep`].
    ///
    /// # Errors
    /// The errors of [`Batches::sweep`].
    pub async fn sweep(&self) -> Result<BatchSweep> {
        let (shared, life) = (&self.queue.shared, &self.life);
        let found = FoundBatch::by_life(shared, life).await?;
        let ids = [life.halt(), life.sweep()];
        let mut records = shared.storage.get(&shared.name, &ids, Detail::Meta).await?.value.into_iter();
        let mut next = || records.next().flatten().map(|record| record.meta);
        let (halt, begun) = (BatchLife::halt_in(next()), next());
        if let Some(operation) = begun {
            return Ok(BatchSweep::of(operation.state));
        }
        match &found {
            // It has begun the operation itself, whose record was removed since.
            Some(batch) if batch.progress.is_sweeping => return Ok(BatchSweep::Swept),
            Some(batch) if !batch.meta.state.is_terminal() => {
                return Err(BatchError::GoesOn { name: self.name().clone() }.into());
            }
            None if self.jobs().limit(1).page().await?.jobs.is_empty() => return Err(self.missing()),
            _ => {}
        }
        if let Some(id) = self.unfinished(halt.as_ref()).await? {
            return Err(BatchError::MemberGoesOn { name: self.name().clone(), id }.into());
        }
        let keep = found.map_or(KEEP, |batch| batch.spec.keep());
        // First, since a call that finds the operation does nothing more.
        self.end_record(halt, keep).await?;
        let operation = life.sweep_job(&*shared.storage, &shared.name, keep).await?;
        shared.store_group(vec![operation]).await?;
        Ok(BatchSweep::Sweeping)
    }

    /// A member, or the job that cancels the members, that has not ended.
    async fn unfinished(&self, halt: Option<&JobMeta>) -> Result<Option<JobId>> {
        if let Some(halt) = halt.filter(|halt| !halt.state.is_terminal()) {
            return Ok(Some(halt.id.clone()));
        }
        let unfinished = self.jobs().in_state(State::Queued).failing().processing().limit(1);
        Ok(pin!(unfinished.all()).try_next().await?.map(|member| member.meta.id))
    }

    /// The job that cancels the members has no tag, so that the operation leaves its record alone.
    async fn end_record(&self, halt: Option<JobMeta>, keep: Span) -> Result<()> {
        let shared = &self.queue.shared;
        if let Some(halt) = halt {
            let event = Event::SetRetention(Retention::Keep(keep));
            shared.storage.settle(&halt, event, &shared.policy).await?;
        }
        Ok(())
    }
}
