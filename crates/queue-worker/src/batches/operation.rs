//! The operations of a batch. They run in the queue of the batch, so that its own workers run
//! them: a program need not have a worker for operations to have batches.

use super::BatchLife;
use crate::operations::{Action, OperationSpec};
use queue_core::{
    Detail, Direction, JobId, ListQuery, NewJob, QueueName, Result, Retention, Span, Storage, StorageExt,
    Tag, Walk, lifecycle::OnProcessing,
};
use queue_view::{JobFilter, Standing};

/// How long the record of an operation of a batch is kept once it is over: for people to read, and
/// for the batch to see that it is.
const KEPT: Span = Span::from_secs(24 * 3600);

impl BatchLife {
    /// The operation that sets how long the records of all members are kept that have ended by now,
    /// and that deletes them if that is zero: a job of the queue of the batch, with the id
    /// [`sweep`](Self::sweep).
    ///
    /// # Errors
    /// The errors of [`Storage::list`].
    pub async fn sweep_job(&self, store: &dyn Storage, queue: &QueueName, keep: Span) -> Result<NewJob> {
        let ended = [Standing::Completed, Standing::Failed, Standing::Cancelled];
        let filter = JobFilter { tag: Some(self.tag()), ..JobFilter::standing(ended) };
        let action = if keep == Span::ZERO { Action::Delete } else { Action::Retain(Retention::Keep(keep)) };
        operation(store, queue, filter, action, self.sweep()).await
    }
}

/// Cancels all members that wait, and asks those that run to stop.
pub(super) async fn cancel_operation(
    store: &dyn Storage,
    queue: &QueueName,
    tag: &Tag,
    id: JobId,
) -> Result<NewJob> {
    let unfinished = [Standing::Queued, Standing::Gated, Standing::Failing, Standing::Processing];
    let filter = JobFilter { tag: Some(tag.clone()), ..JobFilter::standing(unfinished) };
    operation(store, queue, filter, Action::Cancel { processing: OnProcessing::Request }, id).await
}

async fn operation(
    store: &dyn Storage,
    queue: &QueueName,
    filter: JobFilter,
    action: Action,
    id: JobId,
) -> Result<NewJob> {
    let newest = ListQuery::new(queue.clone(), Walk::All(Direction::NewestFirst), 1);
    let page = store.list(newest).await?;
    let mut spec = OperationSpec::new(queue.clone(), filter, action, page.jobs.first(), page.now);
    spec.jobs_max = u64::MAX;
    Ok(spec.job(id).with_priority(i16::MIN).with_retention(Retention::Keep(KEPT)))
}

/// Whether an operation is over, or its record was removed.
pub(super) async fn is_over(store: &dyn Storage, queue: &QueueName, id: &JobId) -> Result<bool> {
    let found = store.get_one(queue, id, Detail::Meta).await?;
    Ok(found.is_none_or(|record| record.meta.state.is_terminal()))
}
