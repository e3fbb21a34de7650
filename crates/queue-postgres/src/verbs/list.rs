use super::get::NO_QUEUE;
use crate::{
    fault::Fault,
    row::{counter, integer, limit, read_job},
    session::Session,
    verb::Verb,
};
use queue_core::{JobMeta, Kind, LeaseToken, ListFilter, ListQuery, Page, PageEnd, State, WorkerId};
use sqlx::{Row, postgres::PgRow};

/// Records that one page passes over.
const SCAN_MAX: usize = 10_000;
/// Where the columns of a job begin in the answer about matches.
const MATCH_AT: usize = 3;
/// The same about leases.
const LAPSED_AT: usize = 2;

/// One page of metadata.
#[derive(Debug)]
pub(crate) struct List<'a> {
    query: &'a ListQuery,
    after: PageEnd,
}

/// Whose cursors they are.
const CURSORS: &str = "postgres";

impl<'a> List<'a> {
    /// Refuses the cursor of another store.
    pub(crate) fn new(query: &'a ListQuery) -> queue_core::Result<Self> {
        Ok(Self { query, after: PageEnd::parse(query.after.as_ref(), CURSORS)? })
    }
}

impl Verb for List<'_> {
    type Answer = Page;

    const NAME: &'static str = "list";
    const WRITES: bool = false;

    async fn run(&self, session: &mut Session<'_>) -> Result<Page, Fault> {
        let queue = session.find_queue(&self.query.queue).await?.unwrap_or(NO_QUEUE);
        match &self.query.filter {
            ListFilter::Lapsed => self.lapsed(session, queue).await,
            ListFilter::Held { token } => self.held(session, queue, *token).await,
            ListFilter::Match { states, worker, kind } => {
                self.matching(session, queue, states, worker.as_ref(), kind.as_ref()).await
            }
        }
    }
}

impl List<'_> {
    /// How many jobs the page has at most.
    fn page(&self) -> usize {
        self.query.limit.min(SCAN_MAX)
    }

    async fn lapsed(&self, session: &mut Session<'_>, queue: i32) -> Result<Page, Fault> {
        let (shared, reading) = (session.shared, session.reading());
        // One more than asked says whether there is a next page.
        let most = limit(self.page().saturating_add(1));
        let rows = session
            .write(&shared.statements.list_lapsed, |query| {
                let query = query.bind(reading).bind(queue);
                query.bind(self.after.expires_at.as_millis()).bind(integer(self.after.seq)).bind(most)
            })
            .await?;
        let moment = session.told(&rows, 1)?;
        let mut jobs = self.read(&rows, LAPSED_AT)?;
        let has_more = jobs.len() > self.page();
        jobs.truncate(self.page());
        let end = jobs.last().and_then(place_of).unwrap_or(self.after);
        Ok(Page { jobs, next: has_more.then(|| end.cursor(CURSORS)), now: moment.now, clock: moment.clock })
    }

    async fn held(&self, session: &mut Session<'_>, queue: i32, token: LeaseToken) -> Result<Page, Fault> {
        let (shared, reading) = (session.shared, session.reading());
        let most = limit(self.page().saturating_add(1));
        let rows = session
            .read(&shared.statements.list_held, |query| {
                let query = query.bind(reading).bind(queue).bind(token.as_bytes().to_vec());
                query.bind(integer(self.after.seq)).bind(most)
            })
            .await?;
        let moment = session.told(&rows, 1)?;
        let mut jobs = self.read(&rows, LAPSED_AT)?;
        let has_more = jobs.len() > self.page();
        jobs.truncate(self.page());
        let end = PageEnd { seq: jobs.last().map_or(self.after.seq, |job| job.seq.get()), ..self.after };
        Ok(Page { jobs, next: has_more.then(|| end.cursor(CURSORS)), now: moment.now, clock: moment.clock })
    }

    async fn matching(
        &self,
        session: &mut Session<'_>,
        queue: i32,
        states: &[State],
        worker: Option<&WorkerId>,
        kind: Option<&Kind>,
    ) -> Result<Page, Fault> {
        let (shared, reading) = (session.shared, session.reading());
        let states: Vec<i16> = states.iter().map(|state| i16::from(state.as_code())).collect();
        let rows = session
            .read(&shared.statements.list_jobs, |query| {
                let query = query.bind(reading).bind(queue).bind(integer(self.after.seq));
                let query = query.bind(limit(SCAN_MAX)).bind(limit(self.page())).bind(states);
                query
                    .bind(worker.map(|name| name.as_str().to_owned()))
                    .bind(kind.map(|kind| kind.as_str().to_owned()))
            })
            .await?;
        let moment = session.told(&rows, 2)?;
        let jobs = self.read(&rows, MATCH_AT)?;
        let next = self.end_of_scan(&rows, &jobs)?.map(|seq| PageEnd { seq, ..self.after }.cursor(CURSORS));
        Ok(Page { jobs, next, now: moment.now, clock: moment.clock })
    }

    /// Where to go on: behind the last job of a full page, else behind the scan if there may be more.
    fn end_of_scan(&self, rows: &[PgRow], jobs: &[JobMeta]) -> Result<Option<u64>, Fault> {
        if jobs.len() == self.page() {
            return Ok(Some(jobs.last().map_or(self.after.seq, |job| job.seq.get())));
        }
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let passed: i64 = first.try_get(1)?;
        if passed < limit(SCAN_MAX) { Ok(None) } else { Ok(Some(counter(first, 0)?)) }
    }

    fn read(&self, rows: &[PgRow], at: usize) -> Result<Vec<JobMeta>, Fault> {
        let mut jobs = Vec::new();
        for row in rows {
            if row.try_get::<Option<i64>, _>(at)?.is_some() {
                jobs.push(read_job(row, at, &self.query.queue)?.meta);
            }
        }
        Ok(jobs)
    }
}

fn place_of(last: &JobMeta) -> Option<PageEnd> {
    let lease = last.lease.as_ref()?;
    Some(PageEnd { expires_at: lease.expires_at, seq: last.seq.get() })
}
