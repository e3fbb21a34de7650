use super::Snapshot;
use crate::{
    row::{COLUMNS, StoredJob, integer},
    sql,
};
use queue_core::{JobMeta, ListFilter, ListQuery, Page, PageEnd};
use rusqlite::params;

/// Records of all queues that one page steps through.
const SCAN_MAX: usize = 10_000;

/// Whose cursors they are.
pub(crate) const CURSORS: &str = "sqlite";

impl Snapshot<'_> {
    /// One page.
    pub(crate) fn list(&self, query: &ListQuery, after: PageEnd) -> rusqlite::Result<Page> {
        let (jobs, next) = match self.find_queue(&query.queue)? {
            None => (Vec::new(), None),
            Some(queue) if query.filter == ListFilter::Lapsed => self.lapsed(queue, query, after)?,
            Some(queue) => self.matching(queue, query, after)?,
        };
        Ok(Page { jobs, next: next.map(|end| end.cursor(CURSORS)), now: self.now, clock: self.now })
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
        let bounds =
            params![queue, self.now.as_millis(), after.expires_at.as_millis(), integer(after.seq), limit];
        let rows = statement.query_map(bounds, |row| StoredJob::read(row, &query.queue))?;
        let mut jobs = rows.map(|row| row.map(|row| row.job.meta)).collect::<Result<Vec<_>, _>>()?;
        let page = query.limit.min(SCAN_MAX);
        let next = if jobs.len() > page { place_of(&jobs[..page]).or(Some(after)) } else { None };
        jobs.truncate(page);
        Ok((jobs, next))
    }

    fn matching(
        &self,
        queue: i64,
        query: &ListQuery,
        after: PageEnd,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<PageEnd>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_JOBS)?;
        let mut rows = statement.query([integer(after.seq)])?;
        let (mut jobs, mut scanned, mut last) = (Vec::new(), 0, after);
        while let Some(row) = rows.next()? {
            if jobs.len() >= query.limit || scanned == SCAN_MAX {
                return Ok((jobs, Some(last)));
            }
            (scanned, last.seq) = (scanned + 1, row.get::<_, i64>(0)?.unsigned_abs());
            if row.get::<_, i64>(COLUMNS)? != queue {
                continue;
            }
            let meta = StoredJob::read(row, &query.queue)?.job.meta;
            if query.filter.matches(&meta, None, self.now) {
                jobs.push(meta);
            }
        }
        Ok((jobs, None))
    }
}

fn place_of(page: &[JobMeta]) -> Option<PageEnd> {
    let last = page.last()?;
    let lease = last.lease.as_ref()?;
    Some(PageEnd { expires_at: lease.expires_at, seq: last.seq.get() })
}
