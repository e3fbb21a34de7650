//! Changes all jobs of a selection.

use super::Jobs;
use queue_core::{
    Applied, ContentType, Detail, Error, ErrorKind, JobId, JobMeta, LIVES_MAX, Result,
    lifecycle::{Event, OnProcessing, Transition, decide},
};

/// The answer to a change of many jobs. Each job was changed by itself, or left as it was.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct BulkChange {
    /// Jobs that were changed.
    pub done: u64,
    /// Jobs whose record was removed after they were listed.
    pub gone: u64,
    /// Jobs that were left as they were, since their state does not allow the change, or since they
    /// changed and the listing does not select them any more.
    pub skipped: u64,
    /// Jobs that may have been changed, since the call failed, or that changed too often meanwhile.
    /// Repeat the change for those that the listing still selects.
    pub failed: u64,
    /// The first error. An error of the listing itself ended the change early.
    pub error: Option<Error>,
}

impl BulkChange {
    /// How many jobs the change met, whether they were changed or not.
    pub const fn met(&self) -> u64 {
        self.done + self.gone + self.skipped + self.failed
    }
}

/// Each job is met once. Jobs that come into the selection by the change itself, or meanwhile, are
/// left alone if the index is ordered by time. After the future is dropped, the jobs that were
/// changed stay changed.
///
/// # Errors
/// The errors of [`page`](Self::page), as long as no job was met; later errors are in the answer.
impl Jobs {
    /// Cancels the jobs, as [`Queue::cancel`](crate::Queue::cancel) does: running jobs are left
    /// alone.
    pub async fn cancel_all(&self) -> Result<BulkChange> {
        self.cancel_all_with(OnProcessing::Leave).await
    }

    /// Cancels the jobs, and says what happens to those that run, as
    /// [`Queue::cancel_with`](crate::Queue::cancel_with) does.
    pub async fn cancel_all_with(&self, processing: OnProcessing) -> Result<BulkChange> {
        self.change_all(&Event::Cancel { processing }).await
    }

    /// Runs the jobs again that are Failed or Cancelled, as
    /// [`Queue::redrive`](crate::Queue::redrive) does.
    pub async fn redrive_all(&self) -> Result<BulkChange> {
        self.change_all(&Event::Redrive { content_type: None }).await
    }

    /// Redrives the jobs with another content type, as
    /// [`Queue::redrive_as`](crate::Queue::redrive_as) does. All selected payloads must have this
    /// encoding.
    pub async fn redrive_all_as(&self, content_type: ContentType) -> Result<BulkChange> {
        self.change_all(&Event::Redrive { content_type: Some(content_type) }).await
    }

    /// Removes the jobs that do not run, as [`Queue::delete`](crate::Queue::delete) does.
    pub async fn delete_all(&self) -> Result<BulkChange> {
        self.change_all(&Event::Delete).await
    }

    async fn change_all(&self, event: &Event) -> Result<BulkChange> {
        let batch_max = self.shared.storage.capabilities().limits.batch_max;
        let mut pages = self.pages()?.of_at_most(batch_max);
        let mut report = BulkChange::default();
        let mut begun = None;
        loop {
            let page = match pages.next(&*self.shared.storage).await {
                Ok(Some(page)) => page,
                Ok(None) => return Ok(report),
                Err(error) if report.met() == 0 => return Err(error),
                Err(error) => {
                    report.error.get_or_insert(error);
                    return Ok(report);
                }
            };
            let begun = *begun.get_or_insert(page.now);
            // A job that came into its state after the change began is left alone: it may be one
            // that this change has redriven and that has failed again.
            let is_meant = |job: &JobMeta| job.entered_at() <= begun && self.filter.touches(job, page.now);
            let met = page.jobs.into_iter().filter(&is_meant).collect();
            self.change_page(met, event, is_meant, &mut report).await;
        }
    }

    /// Changes the jobs of a page in one call, and decides again on those that changed meanwhile
    /// and are still selected.
    async fn change_page(
        &self,
        mut jobs: Vec<JobMeta>,
        event: &Event,
        is_meant: impl Fn(&JobMeta) -> bool,
        report: &mut BulkChange,
    ) {
        for _ in 0..LIVES_MAX {
            let batch = self.decided(&jobs, event, report);
            if batch.is_empty() {
                return;
            }
            let ids: Vec<JobId> = batch.iter().map(|transition| transition.id.clone()).collect();
            let count = batch.len() as u64;
            jobs.clear();
            let answers = match self.shared.storage.apply(batch).await {
                Ok(answers) => answers.value,
                // The certainty may be unknown, so the jobs count as failed and not as left.
                Err(error) => {
                    report.failed += count;
                    report.error.get_or_insert(error);
                    return;
                }
            };
            let mut gone = Vec::new();
            for (id, answer) in ids.into_iter().zip(answers) {
                match answer {
                    Applied::Done(_) => report.done += 1,
                    Applied::Stale(moved) if is_meant(&moved) => jobs.push(moved),
                    Applied::Stale(_) | Applied::LeaseLost(_) => report.skipped += 1,
                    Applied::Missing => gone.push(id),
                }
            }
            jobs.extend(self.replaced(gone, &is_meant, report).await);
        }
        if !jobs.is_empty() {
            report.failed += jobs.len() as u64;
            let error = Error::new(ErrorKind::Conflict, "change", "some records kept moving; ask again");
            report.error.get_or_insert(error);
        }
    }

    /// The jobs that took the place of removed ones, as far as they are still selected.
    async fn replaced(
        &self,
        gone: Vec<JobId>,
        is_meant: impl Fn(&JobMeta) -> bool,
        report: &mut BulkChange,
    ) -> Vec<JobMeta> {
        if gone.is_empty() {
            return Vec::new();
        }
        let found = match self.shared.storage.get(&self.shared.name, &gone, Detail::Meta).await {
            Ok(found) => found.value,
            Err(error) => {
                report.failed += gone.len() as u64;
                report.error.get_or_insert(error);
                return Vec::new();
            }
        };
        let present = found.into_iter().flatten().map(|record| record.meta);
        let meant: Vec<_> = present.filter(is_meant).collect();
        report.gone += (gone.len() - meant.len()) as u64;
        meant
    }

    /// The transitions to apply; jobs whose state does not allow the event are skipped.
    fn decided(&self, jobs: &[JobMeta], event: &Event, report: &mut BulkChange) -> Vec<Transition> {
        let decide_one = |job| decide(job, event.clone(), &self.shared.policy).ok();
        let batch: Vec<_> = jobs.iter().filter_map(decide_one).collect();
        report.skipped += (jobs.len() - batch.len()) as u64;
        batch
    }
}
