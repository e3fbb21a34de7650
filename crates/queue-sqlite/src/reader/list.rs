//! Reading a page of a listing.

use super::{Snapshot, index_range::IndexRange};
use crate::{row::SqliteRecord, sql};
use queue_core::{ListFilter, ListQuery, Page, PageEnd, QueueName, Result, Walk, lifecycle::TrackedJob};
use rusqlite::{Params, params, params_from_iter};

/// The name of this store in its cursors.
const CURSORS: &str = "sqlite";

impl Snapshot<'_> {
    /// One page. `Invalid` within, if the cursor is not one of this listing.
    pub(crate) fn list(&self, query: &ListQuery) -> rusqlite::Result<Result<Page>> {
        let after = match PageEnd::parse(query, CURSORS) {
            Ok(after) => after,
            Err(error) => return Ok(Err(error)),
        };
        let Some(queue) = self.find_queue(&query.queue)? else { return Ok(Ok(Page::empty(self.moment))) };
        let sorted = |jobs: Vec<TrackedJob>| query.page_of(jobs, CURSORS, self.moment);
        if query.walk == Walk::Due && !self.stand_in_one_place(queue)? {
            return Ok(sorted(self.due(queue, query, after)?));
        }
        if let Some(steps) = IndexRange::of(query, queue, after, self.moment.now) {
            return Ok(Ok(self.stepped(&steps, query, after)?));
        }
        Ok(sorted(self.leased(queue, query)?))
    }

    /// Along an index, row by row: SQLite reads none behind the last that the page steps to.
    fn stepped(
        &self,
        steps: &IndexRange,
        query: &ListQuery,
        after: Option<PageEnd>,
    ) -> rusqlite::Result<Page> {
        let mut statement = self.connection.prepare_cached(steps.sql)?;
        let mut rows = statement.query(params_from_iter(&steps.bounds))?;
        let mut page = Page::empty(self.moment);
        let mut end = after;
        while let Some(row) = rows.next()? {
            if page.jobs.len() == query.limit || page.looked_at == ListQuery::LOOKS_MAX as u64 {
                page.next = end.map(|end| end.cursor(query, CURSORS));
                break;
            }
            let stored = self.with_gate(SqliteRecord::read(row, &query.queue)?)?;
            let TrackedJob { meta, token, .. } = stored.job;
            page.looked_at += 1;
            // The end moves on over jobs that the filter hides, or the next page would read them
            // again.
            end = Some(query.walk.place_of(&meta));
            if query.steps_through(&meta, token, self.moment.now) && query.filter.matches(&meta) {
                page.jobs.push(meta);
            }
        }
        Ok(page)
    }

    /// Leased jobs stand in the order of lapses, for every query. They are as many as workers have
    /// slots.
    fn leased(&self, queue: i64, query: &ListQuery) -> rusqlite::Result<Vec<TrackedJob>> {
        match &query.walk {
            Walk::Held { token } => self.jobs(sql::LIST_HELD, params![queue, token.as_bytes()], &query.queue),
            _ => self.jobs(sql::LIST_LEASED, [queue], &query.queue),
        }
    }

    /// Whether the time of a scheduled job, or the time-out of a gate, has come, and no claim has
    /// moved the job since.
    pub(super) fn has_come_due(&self, queue: i64) -> rusqlite::Result<bool> {
        let firsts = [self.first_scheduled(queue)?, self.first_gated(queue)?];
        Ok(firsts.into_iter().flatten().any(|first| first <= self.moment.now.as_millis()))
    }

    /// Whether all due jobs stand in the order of the ready ones.
    fn stand_in_one_place(&self, queue: i64) -> rusqlite::Result<bool> {
        let elsewhere = self.has_come_due(queue)?
            || !self.kinds(queue)?.is_empty()
            || self.has_due_of_partitions(queue)?;
        Ok(!elsewhere)
    }

    /// From each of the places where due jobs stand, as many as the page may need.
    fn due(
        &self,
        queue: i64,
        query: &ListQuery,
        after: Option<PageEnd>,
    ) -> rusqlite::Result<Vec<TrackedJob>> {
        let now = self.moment.now;
        let shows_all = query.filter == ListFilter::default();
        let page = if shows_all { query.limit.min(ListQuery::LOOKS_MAX) } else { ListQuery::LOOKS_MAX };
        // One more says whether there is a next page.
        let enough = page + 1;
        let mut jobs = Vec::new();
        for came_due in IndexRange::came_due(queue, after, now, enough) {
            jobs.extend(self.jobs(came_due.sql, params_from_iter(&came_due.bounds), &query.queue)?);
        }
        for (kind, _) in self.kinds(queue)? {
            let aside = IndexRange::aside(queue, after, enough, &kind);
            jobs.extend(self.jobs(aside.sql, params_from_iter(&aside.bounds), &query.queue)?);
        }
        let in_turn = IndexRange::in_turn(queue, after);
        for ready in [IndexRange::of(query, queue, after, now), Some(in_turn)].into_iter().flatten() {
            let mut statement = self.connection.prepare_cached(ready.sql)?;
            let mut rows = statement.query(params_from_iter(&ready.bounds))?;
            for _ in 0..enough {
                let Some(row) = rows.next()? else { break };
                jobs.push(self.with_gate(SqliteRecord::read(row, &query.queue)?)?.job);
            }
        }
        Ok(jobs)
    }

    fn jobs(&self, sql: &str, bounds: impl Params, queue: &QueueName) -> rusqlite::Result<Vec<TrackedJob>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(bounds, |row| SqliteRecord::read(row, queue))?;
        rows.map(|row| Ok(self.with_gate(row?)?.job)).collect()
    }
}
