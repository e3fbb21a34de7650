//! A batch with the members that are worth a look.

use super::{BatchStatus, Batches};
use queue_core::{Failure, JobMeta, Result, Timestamp};
use queue_view::{BatchDetailsView, BatchErrorView, OldestMemberView};

/// How many failed members are read.
const FAILED_MAX: usize = 3;

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
    /// When the members were read, by store time.
    pub now: Timestamp,
}

impl<P, R> Batches<P, R> {
    /// A batch with the members that are worth a look, in four reads; `None` if there is no batch
    /// of this name, or none any more.
    ///
    /// # Errors
    /// The errors of [`find`](Self::find).
    pub async fn details(&self, name: impl AsRef<str>) -> Result<Option<BatchDetails>> {
        let Some(status) = self.get(name).await? else { return Ok(None) };
        // No member is older than its batch. With a time, the store steps through the jobs that run
        // and those that failed, and not through all members.
        let members = self.queue.jobs().tag(status.life().tag().as_str()).since(status.meta.created_at);
        let running = members.clone().processing().limit(1).page().await?;
        let failed = members.failed().newest_first().limit(FAILED_MAX).page().await?;
        let oldest = running.jobs.into_iter().next();
        Ok(Some(BatchDetails { status, oldest, failed: failed.jobs, now: failed.now }))
    }
}

impl BatchDetails {
    /// The last errors, and the failed members that they are of.
    pub fn errors(&self) -> impl Iterator<Item = (&JobMeta, &Failure)> {
        self.failed.iter().filter_map(|job| Some((job, job.last_error.as_ref()?)))
    }

    /// The batch with these members as a document.
    pub fn view(&self) -> BatchDetailsView<'_> {
        BatchDetailsView {
            batch: self.status.view(),
            oldest: self.oldest.as_ref().map(OldestMemberView::of),
            errors: self.errors().map(|(job, failure)| BatchErrorView::of(job, failure)).collect(),
        }
    }
}
