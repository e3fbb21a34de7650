//! A batch with the members that are worth a look.

use super::{BatchStatus, Batches};
use queue_core::{Failure, JobMeta, Result, Timestamp};
use queue_view::{BatchDetailsView, BatchErrorView, OldestMemberView, RetryingView, works_on};

/// How many failed members are read.
const FAILED_MAX: usize = 3;
/// How many members are read that wait for another try.
const RETRYING_MAX: usize = 100;

/// A batch with the members that are worth a look; see [`Batches::details`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchDetails {
    /// The batch.
    pub status: BatchStatus,
    /// The running member that was claimed first. One page is read for it, of the jobs of the queue
    /// that run longest: it is `None` if no member runs, and also if no member is among the first
    /// [`LOOKS_MAX`](queue_core::ListQuery::LOOKS_MAX) of them.
    pub oldest: Option<JobMeta>,
    /// The members that failed last, at most three, the newest first. One page of the newest failed
    /// jobs of the queue is read for them, with the same bound.
    pub failed: Vec<JobMeta>,
    /// The members that wait for another try after a failure, at most a hundred, the one that
    /// failed last first. One page of the jobs of the queue that wait so is read for them, with the
    /// same bound.
    pub retrying: Vec<JobMeta>,
    /// More members may wait for another try than were read.
    pub has_more_retrying: bool,
    /// Whether a worker is present that claims jobs of the queue of the batch: without one the
    /// batch stands still. A program that takes jobs with [`Queue::dequeue`](crate::Queue::dequeue)
    /// does not announce itself, and is none. `None` once the batch is over, and for a store that
    /// keeps no workers.
    pub has_worker: Option<bool>,
    /// When the members were read, by store time.
    pub now: Timestamp,
}

impl<P, R> Batches<P, R> {
    /// A batch with the members that are worth a look, in five reads, and a sixth of the workers
    /// while it is not over; `None` if there is no batch of this name, or none any more.
    ///
    /// # Errors
    /// The errors of [`find`](Self::find).
    pub async fn details(&self, name: impl AsRef<str>) -> Result<Option<BatchDetails>> {
        let Some(status) = self.get(name).await? else { return Ok(None) };
        // No member is older than its batch. With a time, the store steps through the jobs that run
        // and those that failed, and not through all members.
        let members = self.queue.jobs().tag(status.life().tag().as_str()).since(status.meta.created_at);
        let running = members.clone().processing().limit(1).page().await?;
        let retrying = members.clone().failing().newest_first().limit(RETRYING_MAX).page().await?;
        let failed = members.failed().newest_first().limit(FAILED_MAX).page().await?;
        let has_worker = if status.is_over() { None } else { self.has_worker().await? };
        Ok(Some(BatchDetails {
            status,
            oldest: running.jobs.into_iter().next(),
            failed: failed.jobs,
            retrying: retrying.jobs,
            has_more_retrying: retrying.next.is_some(),
            has_worker,
            now: failed.now,
        }))
    }

    /// Whether a worker claims jobs of this queue, if the store keeps workers.
    async fn has_worker(&self) -> Result<Option<bool>> {
        let storage = self.queue.storage();
        if !storage.capabilities().presence {
            return Ok(None);
        }
        let workers = storage.workers().await?;
        Ok(Some(workers.iter().any(|worker| works_on(worker, self.queue.name()))))
    }
}

impl BatchDetails {
    /// The last errors, and the failed members that they are of.
    pub fn errors(&self) -> impl Iterator<Item = (&JobMeta, &Failure)> {
        self.failed.iter().filter_map(|job| Some((job, job.last_error.as_ref()?)))
    }

    /// The newest error of a member that waits for another try.
    pub fn last_retried(&self) -> Option<(&JobMeta, &Failure)> {
        self.retrying.iter().find_map(|job| Some((job, job.last_error.as_ref()?)))
    }

    /// The batch with these members as a document.
    pub fn view(&self) -> BatchDetailsView<'_> {
        BatchDetailsView {
            batch: self.status.view(),
            oldest: self.oldest.as_ref().map(OldestMemberView::of),
            errors: self.errors().map(|(job, failure)| BatchErrorView::of(job, failure)).collect(),
            retrying: self.retrying(),
            has_worker: self.has_worker,
        }
    }

    fn retrying(&self) -> Option<RetryingView<'_>> {
        let view = RetryingView {
            members: self.retrying.len(),
            has_more: self.has_more_retrying,
            last: self.last_retried().map(|(job, failure)| BatchErrorView::of(job, failure)),
        };
        (view.has_more || view.members > 0).then_some(view)
    }
}
