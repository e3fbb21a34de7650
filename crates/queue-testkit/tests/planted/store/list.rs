//! Listings and their cursors, and their defects.

use super::state::State;
use crate::defect::Defect;
use queue_core::{
    Attempt, Cursor, Direction, JobAttempts, JobId, ListFilter, ListQuery, Page, PageEnd, QueueName, Result,
    Tag, Timestamp, Walk, lifecycle::TrackedJob,
};

/// The name that this store's cursors carry.
const CURSORS: &str = "planted";

impl State {
    /// One page, unless the cursor belongs to another store or listing.
    pub(super) fn list(&self, query: &ListQuery) -> Result<Page> {
        let mut asked = query.clone();
        if self.has(Defect::CursorOfAnyListing) {
            asked.after = asked.after.take().map(|cursor| made_for(query, &cursor));
        }
        match asked.walk.clone() {
            Walk::State(state, end) if self.has(Defect::NewestBySeq) && asked.walk.is_by_time() => {
                asked.walk = Walk::All(end);
                asked.filter = ListFilter { states: vec![state], ..asked.filter };
            }
            Walk::Tagged(_, end) if self.has(Defect::TagByPrefix) => asked.walk = Walk::All(end),
            _ => {}
        }
        let skipped = usize::from(self.has(Defect::CursorSkips));
        asked.limit += skipped;
        let jobs = self.stepped(query).map(|job| self.shown_in_listings(job));
        let mut page = asked.page_of(jobs.collect::<Vec<_>>(), CURSORS, self.moment())?;
        page.jobs.truncate(query.limit);
        page.jobs.retain(|job| job.queue == query.queue);
        if self.has(Defect::EqualTimesSkipped) && (asked.walk.is_by_time() || asked.walk == Walk::Scheduled) {
            page.next = page.next.map(|cursor| behind_its_time(&cursor, asked.walk.direction()));
        }
        Ok(page)
    }

    /// The jobs that a page steps through.
    fn stepped<'s>(&'s self, query: &'s ListQuery) -> Box<dyn Iterator<Item = &'s TrackedJob> + 's> {
        match &query.walk {
            _ if self.has(Defect::ScanCrossesQueues) => {
                Box::new(self.lanes.keys().flat_map(|queue| self.tracked(queue)))
            }
            Walk::Tagged(tag, _) if self.has(Defect::TagByPrefix) => {
                let begins = |other: &Tag| other.as_str().starts_with(tag.as_str());
                Box::new(self.tracked(&query.queue).filter(move |job| job.meta.tags.iter().any(begins)))
            }
            _ => Box::new(self.tracked(&query.queue)),
        }
    }

    fn shown_in_listings(&self, job: &TrackedJob) -> TrackedJob {
        let mut job = job.clone();
        if self.has(Defect::OverdueShown) && job.meta.is_purged(self.now) {
            job.meta.purge_at = None;
        }
        job.token = job.token.filter(|_| !self.has(Defect::HeldNotFound));
        job
    }

    /// Jobs with their charged attempts.
    pub(super) fn attempts_of_many(&self, queue: &QueueName, ids: &[JobId]) -> Vec<Option<JobAttempts>> {
        let mut found: Vec<_> = ids.iter().map(|id| self.attempts(queue, id)).collect();
        if self.has(Defect::AttemptsOfAbsentSkipped) {
            found.sort_by_key(Option::is_none);
        }
        found
    }

    fn attempts(&self, queue: &QueueName, id: &JobId) -> Option<JobAttempts> {
        let record = self.lanes.get(queue)?.by_id(id)?;
        let meta = record.job.meta.clone();
        let attempts: Vec<Attempt> = record.attempts.clone();
        self.is_shown(&meta).then_some(JobAttempts { meta, attempts })
    }
}

/// The position of a cursor, as if it came from this listing.
fn made_for(query: &ListQuery, cursor: &Cursor) -> Cursor {
    let own = PageEnd { at: Timestamp::default(), priority: 0, seq: 0 }.cursor(query, CURSORS).0;
    let place = cursor.0.splitn(3, ':').nth(2);
    let mark = own.split(':').nth(1);
    match (place, mark) {
        (Some(place), Some(mark)) if cursor.0.starts_with(CURSORS) => {
            Cursor(format!("{CURSORS}:{mark}:{place}"))
        }
        _ => cursor.clone(),
    }
}

/// A cursor behind every job of the same time.
fn behind_its_time(cursor: &Cursor, direction: Direction) -> Cursor {
    let (place, _) = cursor.0.rsplit_once(':').expect("a cursor ends in a number");
    let seq = if direction == Direction::NewestFirst { 0 } else { i64::MAX };
    Cursor(format!("{place}:{seq}"))
}
