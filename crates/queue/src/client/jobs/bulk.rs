use super::Jobs;
use queue_core::{
    Applied, ContentType, Error, ErrorKind, JobMeta, RE_DECIDES_MAX, Result,
    lifecycle::{Event, OnRunning, Transition, decide},
};

/// What became of many jobs that were to be changed together. Each was changed by itself, or left
/// as it was.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct BulkChange {
    /// Changed.
    pub done: u64,
    /// Left as they were, since their state does not allow the change, or since they moved on and
    /// are not among those that are meant any more.
    pub skipped: u64,
    /// Perhaps changed, since the call failed that was to do it; or moved so often that none came
    /// to a decision. Those that are still meant are found by asking again.
    pub failed: u64,
    /// The first error. One of the listing itself ended it early.
    pub error: Option<Error>,
}

impl BulkChange {
    /// How many jobs were met, whatever became of them.
    pub const fn met(&self) -> u64 {
        self.done + self.skipped + self.failed
    }
}

/// Jobs are met once each: those that come into the selection by the change itself, or meanwhile,
/// are left alone where the index goes by time. Dropping the future leaves changed what was
/// changed.
///
/// # Errors
/// Those of [`page`](Self::page), as long as no job was met; later ones are told in the answer.
impl Jobs {
    /// Takes them back, as [`Queue::cancel`](crate::Queue::cancel) does: what runs is left alone.
    pub async fn cancel_all(&self) -> Result<BulkChange> {
        self.cancel_all_with(OnRunning::Leave).await
    }

    /// The same, and says what shall happen to those that run, as
    /// [`Queue::cancel_with`](crate::Queue::cancel_with) does.
    pub async fn cancel_all_with(&self, running: OnRunning) -> Result<BulkChange> {
        self.change_all(&Event::Cancel { running }).await
    }

    /// Makes those that are Failed or Cancelled run again, as
    /// [`Queue::redrive`](crate::Queue::redrive) does.
    pub async fn redrive_all(&self) -> Result<BulkChange> {
        self.change_all(&Event::Redrive { content_type: None }).await
    }

    /// The same as [`Queue::redrive_as`](crate::Queue::redrive_as) does: there must be none whose
    /// payload is encoded otherwise.
    pub async fn redrive_all_as(&self, content_type: ContentType) -> Result<BulkChange> {
        self.change_all(&Event::Redrive { content_type: Some(content_type) }).await
    }

    /// Removes those that do not run, as [`Queue::delete`](crate::Queue::delete) does.
    pub async fn delete_all(&self) -> Result<BulkChange> {
        self.change_all(&Event::Delete).await
    }

    async fn change_all(&self, event: &Event) -> Result<BulkChange> {
        let (mut pages, mut report) = (self.pages()?, BulkChange::default());
        let batch_max = self.shared.storage.capabilities().limits.batch_max;
        pages.query.limit = pages.query.limit.min(batch_max);
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
            let is_meant = |job: &JobMeta| {
                let query = &pages.query;
                job.entered_at() <= begun
                    && query.walk.contains(job, None, page.now)
                    && query.filter.matches(job)
            };
            let met = page.jobs.into_iter().filter(&is_meant).collect();
            self.change_page(met, event, is_meant, &mut report).await;
        }
    }

    /// Changes the jobs of a page in one call, and decides again on those that moved and are still
    /// meant.
    async fn change_page(
        &self,
        mut jobs: Vec<JobMeta>,
        event: &Event,
        is_meant: impl Fn(&JobMeta) -> bool,
        report: &mut BulkChange,
    ) {
        for _ in 0..RE_DECIDES_MAX {
            let batch = self.decided(&jobs, event, report);
            if batch.is_empty() {
                return;
            }
            let count = batch.len() as u64;
            let answers = match self.shared.storage.apply(batch).await {
                Ok(answers) => answers.value,
                Err(error) => {
                    report.failed += count;
                    report.error.get_or_insert(error);
                    return;
                }
            };
            jobs.clear();
            for answer in answers {
                match answer {
                    Applied::Done(_) => report.done += 1,
                    Applied::Stale(moved) if is_meant(&moved) => jobs.push(moved),
                    Applied::Stale(_) | Applied::LeaseLost(_) | Applied::Missing => report.skipped += 1,
                }
            }
        }
        if !jobs.is_empty() {
            report.failed += jobs.len() as u64;
            let error = Error::new(ErrorKind::Conflict, "change", "some records kept moving; ask again");
            report.error.get_or_insert(error);
        }
    }

    /// What is to be written; what the state of a job does not allow is skipped.
    fn decided(&self, jobs: &[JobMeta], event: &Event, report: &mut BulkChange) -> Vec<Transition> {
        let decide_one = |job| decide(job, event.clone(), &self.shared.policy).ok();
        let batch: Vec<_> = jobs.iter().filter_map(decide_one).collect();
        report.skipped += (jobs.len() - batch.len()) as u64;
        batch
    }
}
