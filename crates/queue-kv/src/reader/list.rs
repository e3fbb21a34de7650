//! Listings: along the indexes that claims and rescues use, and along the records.

use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family, Key},
    view::{STEP, View},
};
use queue_core::{ListQuery, Page, PageEnd, Seq, State, Walk, lifecycle::TrackedJob};
use queue_store::stored::{self, StoredJob};
use std::ops::Range;

/// The name that this store's cursors carry.
const CURSORS: &str = "kv";

impl View<'_> {
    /// One page. Leased, due, scheduled and gated jobs are found by their index and sorted; a page
    /// of the oldest-first walk costs what it steps through. The other walks read every record of
    /// the queue.
    pub(crate) fn list(&self, query: &ListQuery) -> KvResult<Page> {
        let queue = &query.queue;
        let now = self.now();
        let ranges = match &query.walk {
            Walk::Lapsed => vec![keys::until(Family::Lease, queue, now)],
            Walk::Held { .. } | Walk::State(State::Processing, _) => vec![keys::all(Family::Lease, queue)],
            Walk::Due => vec![
                keys::all(Family::Ready, queue),
                keys::all(Family::PartitionDue, queue),
                keys::all(Family::Aside, queue),
                keys::until(Family::Scheduled, queue, now),
                keys::until(Family::Gated, queue, now),
            ],
            Walk::Scheduled => vec![keys::all(Family::Scheduled, queue)],
            Walk::Gated => vec![keys::all(Family::Gated, queue)],
            Walk::All(_) | Walk::State(State::Queued | State::Completed, _) | Walk::Tagged(..)
                if !query.walk.is_reversed() =>
            {
                return self.stepped(query);
            }
            _ => return self.sorted(query, self.records_of(query)?),
        };
        let mut jobs = Vec::new();
        for range in ranges {
            jobs.extend(self.indexed(query, range)?);
        }
        self.sorted(query, jobs)
    }

    fn sorted(&self, query: &ListQuery, jobs: Vec<TrackedJob>) -> KvResult<Page> {
        Ok(query.page_of(jobs, CURSORS, self.moment)?)
    }

    /// The jobs whose entries are in a range of an index.
    fn indexed(&self, query: &ListQuery, range: Range<Key>) -> KvResult<Vec<TrackedJob>> {
        let mut jobs = Vec::new();
        self.each(range, |(entry, _)| {
            let found = self.life(&query.queue, keys::seq_of(&entry))?;
            jobs.push(found.ok_or_else(|| KvFailure::corrupt("an index entry has no record"))?.job);
            Ok(())
        })?;
        Ok(jobs)
    }

    fn records_of(&self, query: &ListQuery) -> KvResult<Vec<TrackedJob>> {
        let mut jobs = Vec::new();
        self.each(keys::all(Family::Job, &query.queue), |(_, bytes)| {
            jobs.push(stored::from_bytes::<StoredJob>(bytes)?.job);
            Ok(())
        })?;
        Ok(jobs)
    }

    /// Walks the records, oldest first, from the end of the last page.
    fn stepped(&self, query: &ListQuery) -> KvResult<Page> {
        let after = PageEnd::parse(query, CURSORS)?;
        let mut page = Page::empty(self.moment);
        let mut end = after;
        let mut rest = keys::all(Family::Job, &query.queue);
        if let Some(after) = after {
            rest.start = keys::after(&keys::life(Family::Job, &query.queue, Seq::new(after.seq)));
        }
        loop {
            let entries = self.scan(&rest, STEP)?;
            let Some((last, _)) = entries.last() else { return Ok(page) };
            rest.start = keys::after(last);
            for (_, bytes) in entries {
                if page.jobs.len() == query.limit || page.looked_at == ListQuery::LOOKS_MAX as u64 {
                    page.next = end.map(|end| end.cursor(query, CURSORS));
                    return Ok(page);
                }
                let TrackedJob { meta, token, .. } = stored::from_bytes::<StoredJob>(bytes)?.job;
                page.looked_at += 1;
                // The end moves on over jobs that the filter hides, or the next page would read
                // them again.
                end = Some(query.walk.place_of(&meta));
                if query.steps_through(&meta, token, self.now()) && query.filter.matches(&meta) {
                    page.jobs.push(meta);
                }
            }
        }
    }
}
