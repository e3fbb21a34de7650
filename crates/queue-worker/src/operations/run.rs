//! Runs an operation for a while, under the lease of one claim.

use super::{
    OperationProgress, OperationSpec, SpecError,
    page::{PageChange, Sender, is_final},
    progress::SeenJob,
};
use crate::reserved::{ReservedJob, ReservedOutcome, put_back};
use queue_core::{
    Applied, Failure, ListQuery, Payload, Result, Span, Storage,
    lifecycle::{Cause, Event, Policy, decide},
};

/// The most pages of one claim. After them the job is put off for no time, so that a worker that is
/// to stop need not wait, and others of its queue have their turn.
const PAGES_MAX: usize = 16;
/// The most jobs on a page.
const PAGE_JOBS_MAX: usize = 500;
/// The most pages without a job that are read before the place is stored.
const EMPTY_PAGES_MAX: usize = 10;
/// The lease is at least this long.
const LEASE_MIN: Span = Span::from_secs(1);

/// What is to become of the operation's job after a page was stored.
enum Stored {
    /// It is still held.
    Held,
    /// It is not held any more: another worker runs it, or it was removed.
    Lost,
    /// It is to be cancelled.
    ToCancel,
}

/// An operation that is being run.
struct OperationRun<'a> {
    store: &'a dyn Storage,
    job: ReservedJob<'a>,
    spec: OperationSpec,
    progress: OperationProgress,
    /// The most jobs whose ids fit the stored progress.
    page_jobs: usize,
}

/// Goes through some pages of the operation. What was done is stored with each page, so that a
/// dropped future, or a process that dies, loses nothing.
///
/// # Errors
/// The errors of the store that another try may get past.
pub(crate) async fn advance(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    let (spec, progress) = match read(job) {
        Ok(read) => read,
        Err(error @ SpecError::Unreadable { .. }) => return Ok(given_up(job, &error.to_string()).into()),
        Err(error) => return Ok(put_back(job, error.to_string())),
    };
    let page_jobs = PAGE_JOBS_MAX.min(store.capabilities().limits.batch_max);
    let mut run = OperationRun { store, job, spec, progress, page_jobs };
    let event = match run.pages().await {
        Ok(event) => event,
        Err(error) if is_final(&error) => given_up(job, &error.to_string()),
        Err(error) => return Err(error),
    };
    Ok(event.into())
}

fn read(job: ReservedJob<'_>) -> std::result::Result<(OperationSpec, OperationProgress), SpecError> {
    let spec = OperationSpec::from_bytes(&job.payload.bytes)?;
    let progress = job.meta.progress().map(OperationProgress::from_bytes).transpose()?;
    Ok((spec, progress.unwrap_or_default()))
}

impl OperationRun<'_> {
    async fn pages(&mut self) -> Result<Event> {
        let token = self.job.token;
        let mut sender = Sender::Another;
        for _ in 0..PAGES_MAX {
            if !self.progress.in_flight.is_empty() {
                let page = PageChange { store: self.store, spec: &self.spec, sender };
                page.send(&mut self.progress).await?;
            }
            self.turn_page().await?;
            match self.save().await? {
                Stored::Held | Stored::ToCancel if self.is_over() => return Ok(self.completed()),
                Stored::Held => sender = Sender::First,
                Stored::Lost => return Ok(Event::release(token)),
                Stored::ToCancel => {
                    // Nothing of this page was sent, so that the counts are all there is to tell.
                    self.progress.in_flight.clear();
                    self.save().await?;
                    return Ok(Event::release(token));
                }
            }
        }
        Ok(Event::snooze(token, Span::ZERO))
    }

    fn is_over(&self) -> bool {
        self.progress.is_at_end && self.progress.in_flight.is_empty()
    }

    /// Reads the next page with a job that is meant, or the end.
    async fn turn_page(&mut self) -> Result<()> {
        for _ in 0..EMPTY_PAGES_MAX {
            let left = self.spec.jobs_max.saturating_sub(self.progress.counts.met());
            if left == 0 && !self.progress.is_at_end {
                (self.progress.is_cut, self.progress.is_at_end) = (true, true);
            }
            if self.progress.is_at_end || !self.progress.in_flight.is_empty() {
                return Ok(());
            }
            self.read_page(usize::try_from(left).unwrap_or(usize::MAX)).await?;
        }
        Ok(())
    }

    async fn read_page(&mut self, left: usize) -> Result<()> {
        let room = self.store.capabilities().limits.note_bytes_max;
        loop {
            let query = self.spec.query(self.page_jobs.min(left));
            let page = self.store.list(ListQuery { after: self.progress.cursor(), ..query }).await?;
            let mut next = self.progress.clone();
            let meant = page.jobs.iter().filter(|job| self.spec.is_member(job));
            next.in_flight = meant.map(SeenJob::of).collect();
            next.is_at_end =
                page.next.is_none() || page.jobs.last().is_some_and(|job| self.spec.is_past(job));
            next.after = page.next.map(|cursor| cursor.0);
            if next.to_bytes().len() <= room || self.page_jobs == 1 {
                self.progress = next;
                return Ok(());
            }
            self.page_jobs = self.page_jobs.div_ceil(2);
        }
    }

    /// Stores the progress with a heartbeat, which only the holder of the lease can send.
    async fn save(&self) -> Result<Stored> {
        let ReservedJob { meta, token, .. } = self.job;
        let lease = meta.lease.as_ref().zip(meta.claimed_at);
        let by = lease.map_or(LEASE_MIN, |(lease, at)| Span::at_most(lease.expires_at.since(at)));
        let progress = Some(self.progress.to_bytes().into());
        let event = Event::Extend { token, by: by.max(LEASE_MIN), progress };
        let Ok(beat) = decide(meta, event, &Policy::default()) else { return Ok(Stored::Lost) };
        let answer = self.store.apply(vec![beat]).await?.value.into_iter().next();
        Ok(match answer {
            Some(Applied::Done(now)) if now.cancel_requested => Stored::ToCancel,
            Some(Applied::Done(_)) => Stored::Held,
            _ => Stored::Lost,
        })
    }

    fn completed(&self) -> Event {
        let content_type = self.job.payload.content_type.clone();
        let result = Payload::new(self.progress.to_bytes(), content_type);
        Event::Complete { token: self.job.token, result, retention: None, then: Vec::new() }
    }
}

/// The end of an operation that cannot go on; what it has done is in its progress.
fn given_up(job: ReservedJob<'_>, reason: &str) -> Event {
    let failure = Failure::new("Operation", reason);
    let token = job.token;
    Event::Fail { token, failure, cause: Cause::Terminal, delay: None, retention: None, then: Vec::new() }
}
