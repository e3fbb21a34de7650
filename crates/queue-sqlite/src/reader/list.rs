use super::Snapshot;
use crate::{
    key::{key, key_end},
    row::{StoredJob, integer},
    sql,
};
use queue_core::{JobMeta, LeaseToken, ListFilter, ListQuery, Moment, Page, PageEnd, Seq};
use rusqlite::params;

/// Records that one page steps through.
const SCAN_MAX: usize = 10_000;

/// Whose cursors they are.
pub(crate) const CURSORS: &str = "sqlite";

impl Snapshot<'_> {
    /// One page.
    pub(crate) fn list(&self, query: &ListQuery, after: PageEnd) -> rusqlite::Result<Page> {
        let Moment { now, clock } = self.moment;
        let (jobs, next) = match (self.find_queue(&query.queue)?, &query.filter) {
            (None, _) => (Vec::new(), None),
            (Some(queue), ListFilter::Lapsed) => self.lapsed(queue, query, after)?,
            (Some(queue), ListFilter::Held { token }) => self.held(queue, *token, query, after)?,
            (Some(queue), ListFilter::Match { .. }) => self.matching(queue, query, after)?,
        };
        Ok(Page { jobs, next: next.map(|end| end.cursor(CURSORS)), now, clock })
    }

    fn lapsed(
        &self,
        queue: i64,
        query: &ListQuery,
        after: PageEnd,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<PageEnd>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_LAPSED)?;
        // One more than asked says whether there is a next page.
        let limit = integer(query.limit.saturating_add(1).min(SCAN_MAX + 1) as u64);
        let bounds = params![
            queue,
            self.moment.now.as_millis(),
            after.expires_at.as_millis(),
            integer(after.seq),
            limit
        ];
        let rows = statement.query_map(bounds, |row| StoredJob::read(row, &query.queue))?;
        let jobs = rows.map(|row| row.map(|row| row.job.meta)).collect::<Result<Vec<_>, _>>()?;
        Ok(page_of(jobs, query, after))
    }

    /// A claim leases no more than a batch, so all of them are found before they are put in order.
    fn held(
        &self,
        queue: i64,
        token: LeaseToken,
        query: &ListQuery,
        after: PageEnd,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<PageEnd>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_HELD)?;
        let bounds = params![queue, token.as_bytes(), integer(after.seq)];
        let rows = statement.query_map(bounds, |row| StoredJob::read(row, &query.queue))?;
        let mut jobs = rows.map(|row| row.map(|row| row.job.meta)).collect::<Result<Vec<_>, _>>()?;
        jobs.sort_unstable_by_key(|job| job.seq);
        Ok(page_of(jobs, query, after))
    }

    fn matching(
        &self,
        queue: i64,
        query: &ListQuery,
        after: PageEnd,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<PageEnd>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_JOBS)?;
        let mut rows = statement.query([key(queue, Seq::new(after.seq)), key_end(queue)])?;
        let (mut jobs, mut scanned, mut last) = (Vec::new(), 0, after);
        while let Some(row) = rows.next()? {
            if jobs.len() >= query.limit || scanned == SCAN_MAX {
                return Ok((jobs, Some(last)));
            }
            let job = StoredJob::read(row, &query.queue)?.job;
            (scanned, last.seq) = (scanned + 1, job.meta.seq.get());
            if query.filter.matches(&job.meta, job.token, self.moment.now) {
                jobs.push(job.meta);
            }
        }
        Ok((jobs, None))
    }
}

/// The first of them as a page, and where it ends if there are more.
fn page_of(mut jobs: Vec<JobMeta>, query: &ListQuery, after: PageEnd) -> (Vec<JobMeta>, Option<PageEnd>) {
    let page = query.limit.min(SCAN_MAX);
    let next = if jobs.len() > page { place_of(&jobs[..page]).or(Some(after)) } else { None };
    jobs.truncate(page);
    (jobs, next)
}

fn place_of(page: &[JobMeta]) -> Option<PageEnd> {
    let last = page.last()?;
    let lease = last.lease.as_ref()?;
    Some(PageEnd { expires_at: lease.expires_at, seq: last.seq.get() })
}
