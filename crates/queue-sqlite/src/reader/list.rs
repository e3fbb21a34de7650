use super::Snapshot;
use crate::{
    row::{COLUMNS, StoredJob, integer},
    sql,
};
use queue_core::{Cursor, JobMeta, ListFilter, ListQuery, Page};
use rusqlite::params;

/// Records of all queues that one page steps through.
const SCAN_MAX: usize = 10_000;

/// Where the last page ended: a seq, and for lapsed leases the lapse before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct After {
    expires_at: i64,
    seq: i64,
}

impl After {
    /// Before everything.
    const START: Self = Self { expires_at: i64::MIN, seq: 0 };

    /// Reads a cursor; `None` if this store did not make it.
    pub(crate) fn parse(cursor: Option<&Cursor>) -> Option<Self> {
        let Some(Cursor(text)) = cursor else { return Some(Self::START) };
        let (expires_at, seq) = text.split_once(':')?;
        Some(Self { expires_at: expires_at.parse().ok()?, seq: seq.parse().ok()? })
    }

    fn cursor(self) -> Cursor {
        Cursor(format!("{}:{}", self.expires_at, self.seq))
    }
}

impl Snapshot<'_> {
    /// One page.
    pub(crate) fn list(&self, query: &ListQuery, after: After) -> rusqlite::Result<Page> {
        let (jobs, next) = match self.find_queue(&query.queue)? {
            None => (Vec::new(), None),
            Some(queue) if query.filter == ListFilter::Lapsed => self.lapsed(queue, query, after)?,
            Some(queue) => self.matching(queue, query, after)?,
        };
        Ok(Page { jobs, next: next.map(After::cursor), now: self.now })
    }

    fn lapsed(
        &self,
        queue: i64,
        query: &ListQuery,
        after: After,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<After>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_LAPSED)?;
        // One more than asked says whether there is a next page.
        let limit = integer(query.limit.saturating_add(1).min(SCAN_MAX + 1) as u64);
        let bounds = params![queue, self.now.as_millis(), after.expires_at, after.seq, limit];
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
        after: After,
    ) -> rusqlite::Result<(Vec<JobMeta>, Option<After>)> {
        let mut statement = self.connection.prepare_cached(sql::LIST_JOBS)?;
        let mut rows = statement.query([after.seq])?;
        let (mut jobs, mut scanned, mut last) = (Vec::new(), 0, after);
        while let Some(row) = rows.next()? {
            if jobs.len() >= query.limit || scanned == SCAN_MAX {
                return Ok((jobs, Some(last)));
            }
            (scanned, last.seq) = (scanned + 1, row.get(0)?);
            if row.get::<_, i64>(COLUMNS)? != queue {
                continue;
            }
            let meta = StoredJob::read(row, &query.queue)?.job.meta;
            if query.filter.matches(&meta, self.now) {
                jobs.push(meta);
            }
        }
        Ok((jobs, None))
    }
}

fn place_of(page: &[JobMeta]) -> Option<After> {
    let last = page.last()?;
    let lease = last.lease.as_ref()?;
    Some(After { expires_at: lease.expires_at.as_millis(), seq: integer(last.seq.get()) })
}
