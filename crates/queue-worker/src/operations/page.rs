//! Sends the changes of one page.

use super::{Action, OperationSpec, progress::SeenJob};
use crate::operations::OperationProgress;
use queue_core::{
    Applied, Detail, Error, ErrorKind, JobId, JobMeta, JobRecord, Result, Stamped, Storage, Timestamp,
    lifecycle::{Policy, Transition, decide},
};

/// Who sends the changes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    /// The runner that has just read it: no other knows of it.
    First,
    /// One that found it in the stored progress: another may have sent some of the changes.
    Another,
}

/// One page while its changes are sent.
pub(super) struct PageChange<'a> {
    pub(super) store: &'a dyn Storage,
    pub(super) spec: &'a OperationSpec,
    pub(super) sender: Sender,
}

/// The outcome for one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Became {
    Done,
    Gone,
    Skipped,
    Failed,
}

impl PageChange<'_> {
    /// Changes the jobs of the page, each under the revision at which it was seen, and counts the
    /// outcomes. Nothing is counted if it fails: the page stays in flight.
    ///
    /// # Errors
    /// The errors of the store that another try may get past.
    pub(super) async fn send(&self, progress: &mut OperationProgress) -> Result<()> {
        let seen: Vec<SeenJob> = progress.in_flight.iter().cloned().collect();
        let Stamped { now, value, .. } = self.read(&seen).await?;
        let mut became = Vec::with_capacity(seen.len());
        let mut batch = Vec::new();
        for (job, found) in seen.iter().zip(value) {
            match self.decided(job, found.map(|record| record.meta), now) {
                Ok(transition) => batch.push((job, transition)),
                Err(ended) => became.push(ended),
            }
        }
        let mut error = None;
        self.apply(batch, now, &mut became, &mut error).await?;
        for ended in became {
            match ended {
                Became::Done => progress.counts.done += 1,
                Became::Gone => progress.counts.gone += 1,
                Became::Skipped => progress.counts.skipped += 1,
                Became::Failed => progress.counts.failed += 1,
            }
        }
        progress.in_flight.clear();
        progress.error = progress.error.take().or(error);
        Ok(())
    }

    async fn read(&self, seen: &[SeenJob]) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let ids: Option<Vec<JobId>> = seen.iter().map(SeenJob::id).collect();
        let ids = ids.ok_or_else(|| Error::new(ErrorKind::Corrupt, "operation", "an id cannot be read"))?;
        self.store.get(&self.spec.queue, &ids, Detail::Meta).await
    }

    /// The change of a job that is as it was seen, or the outcome for a job that is not.
    fn decided(&self, seen: &SeenJob, found: Option<JobMeta>, now: Timestamp) -> Result<Transition, Became> {
        match found {
            Some(job) if job.seq.get() == seen.1 && job.revision == seen.2 => {
                decide(&job, self.spec.action.event(), &Policy::default()).map_err(|_| Became::Skipped)
            }
            found => Err(self.moved(seen, found.as_ref(), now)),
        }
    }

    /// The outcome for a job that has moved since it was seen. The first sender has not changed it.
    fn moved(&self, seen: &SeenJob, found: Option<&JobMeta>, now: Timestamp) -> Became {
        let may_be_sent = self.sender == Sender::Another;
        let Some(job) = found.filter(|job| job.seq.get() == seen.1) else {
            // Only of a delete does a missing record show the effect.
            let is_effect = may_be_sent && self.spec.action == Action::Delete;
            return if is_effect { Became::Done } else { Became::Gone };
        };
        let shows = self.spec.action.shows_in(job, seen.2, self.spec.begun(), now);
        if may_be_sent && shows { Became::Done } else { Became::Skipped }
    }

    /// Sends changes together. If the store refuses the call for good, each goes by itself.
    async fn apply(
        &self,
        batch: Vec<(&SeenJob, Transition)>,
        now: Timestamp,
        became: &mut Vec<Became>,
        first: &mut Option<String>,
    ) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let all = batch.iter().map(|(_, sent)| sent.clone()).collect();
        match self.store.apply(all).await {
            Ok(answers) => {
                let answers = batch.iter().zip(answers.value);
                became.extend(answers.map(|((seen, _), answer)| self.answered(seen, answer, now)));
                return Ok(());
            }
            Err(error) if !is_final(&error) => return Err(error),
            Err(_) => {}
        }
        for (seen, sent) in batch {
            match self.store.apply(vec![sent]).await {
                Ok(answers) => {
                    let answer = answers.value.into_iter().next().unwrap_or(Applied::Missing);
                    became.push(self.answered(seen, answer, now));
                }
                Err(error) if !is_final(&error) => return Err(error),
                Err(error) => {
                    first.get_or_insert_with(|| error.to_string());
                    became.push(Became::Failed);
                }
            }
        }
        Ok(())
    }

    fn answered(&self, seen: &SeenJob, answer: Applied, now: Timestamp) -> Became {
        match answer {
            Applied::Done(_) => Became::Done,
            Applied::Stale(moved) | Applied::LeaseLost(moved) => self.moved(seen, Some(&moved), now),
            Applied::Missing => self.moved(seen, None, now),
        }
    }
}

/// Whether a store would refuse the same call again.
pub(super) fn is_final(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Unsupported | ErrorKind::Corrupt)
}
