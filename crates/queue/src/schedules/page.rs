//! Reads the schedules of a queue page by page.

use super::{ScheduleStatus, Schedules, is_schedule};
use crate::UnreadableJob;
use queue_core::{Cursor, JobId, JobMeta, JobRecord, ListQuery, Result, Stamped, State};
use queue_schedule::{ScheduleSpec, schedules_in};

/// The most schedules on one page of a listing.
const PAGE: usize = 500;

/// Schedules of a queue, in the order in which they were made or changed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SchedulesPage {
    /// The schedules.
    pub schedules: Vec<ScheduleStatus>,
    /// Those that this program cannot read, and another may.
    pub unreadable: Vec<UnreadableJob>,
    /// Where the next page begins; `None` at the end. A page may be empty and not be the last.
    pub next: Option<Cursor>,
}

impl<P, R> Schedules<P, R> {
    /// All schedules of the queue, for all kinds of jobs.
    ///
    /// # Errors
    /// The errors of the store. The method reads in pages, so a schedule that changes meanwhile may
    /// be shown as before or after the change.
    pub async fn list(&self) -> Result<SchedulesPage> {
        self.pages(usize::MAX).await
    }

    /// The first pages of [`list`](Self::list) as one, for callers that may not read everything.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub async fn pages(&self, pages_max: usize) -> Result<SchedulesPage> {
        let mut found = SchedulesPage::default();
        for _ in 0..pages_max {
            let page = self.page(found.next.take()).await?;
            found.schedules.extend(page.schedules);
            found.unreadable.extend(page.unreadable);
            found.next = page.next;
            if found.next.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// A page of [`list`](Self::list). A page can have fewer schedules than another, or none.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list), and `Invalid` for a cursor that the store refuses.
    pub async fn page(&self, after: Option<Cursor>) -> Result<SchedulesPage> {
        let states = [State::Queued, State::Failing, State::Processing, State::Failed];
        let all = schedules_in(self.queue.name().clone(), states, PAGE);
        let listed = self.queue.storage().list(ListQuery { after, ..all }).await?;
        let ids: Vec<JobId> = listed.jobs.into_iter().map(|job| job.id).collect();
        let next = listed.next;
        if ids.is_empty() {
            return Ok(SchedulesPage { next, ..SchedulesPage::default() });
        }
        Ok(SchedulesPage { next, ..sorted(self.read(&ids).await?)? })
    }
}

/// The schedules among these jobs: those that can be read, and those that cannot.
pub(crate) fn sorted(read: Stamped<Vec<Option<JobRecord>>>) -> Result<SchedulesPage> {
    let Stamped { now, clock, value } = read;
    let mut page = SchedulesPage::default();
    for record in value.into_iter().flatten().filter(is_schedule) {
        let meta = record.meta.clone();
        match UnreadableJob::unless_read(ScheduleStatus::of(record, now, clock), name_of, meta)? {
            Ok(status) => page.schedules.push(status),
            Err(unreadable) => page.unreadable.push(unreadable),
        }
    }
    Ok(page)
}

fn name_of(meta: &JobMeta) -> String {
    ScheduleSpec::name_in(&meta.id).unwrap_or(meta.id.as_str()).to_owned()
}
