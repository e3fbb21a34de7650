//! `list`: one page of metadata along one index.

use super::get::NO_QUEUE;
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    row::{counter, integer, limit, read_job},
    verb_error::VerbError,
};
use queue_core::{JobMeta, ListFilter, ListQuery, Page, PageEnd, Tag, Timestamp, Walk};
use sqlx::{Row, postgres::PgRow};

/// Whose cursors they are.
const CURSORS: &str = "postgres";
/// Jobs that a page steps through where each priority is read that far, to be merged.
const LOOKS_MERGED_MAX: usize = 1_000;
/// Where the position of a job in the walk stands in the answer.
const POSITION_AT: usize = 6;
/// Where the columns of a job begin.
const JOB_AT: usize = 7;

/// One page of metadata.
#[derive(Debug)]
pub(crate) struct PostgresList<'a> {
    query: &'a ListQuery,
    after: Option<PageEnd>,
}

impl<'a> PostgresList<'a> {
    /// Refuses the cursor of another store or listing.
    pub(crate) fn new(query: &'a ListQuery) -> queue_core::Result<Self> {
        Ok(Self { query, after: PageEnd::parse(query, CURSORS)? })
    }
}

impl SqlVerb for PostgresList<'_> {
    type Answer = Page;

    const NAME: &'static str = "list";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Page, VerbError> {
        let queue = connection.find_queue(&self.query.queue).await?.unwrap_or(NO_QUEUE);
        let handle = connection.handle;
        let floor = connection.time_floor();
        let statement = handle.statements.listings.of(&self.query.walk);
        let bind = |query: BoundQuery| self.bind(query.bind(floor).bind(queue));
        let rows = match self.query.walk {
            Walk::Lapsed => connection.write(statement, bind).await?, // moves deadlines on
            _ => connection.read(statement, bind).await?,
        };
        let moment = connection.note_time(&rows, POSITION_AT - 1)?;
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let looked_at = counter(first, 0)?;
        let jobs = self.read(&rows)?;
        let end = if first.try_get(1)? { self.end(first, &jobs)? } else { None };
        let next = end.map(|end| end.cursor(self.query, CURSORS));
        Ok(Page { jobs, next, looked_at, now: moment.now, clock: moment.clock })
    }
}

impl PostgresList<'_> {
    /// How many jobs the page shows at most.
    fn page(&self) -> usize {
        self.query.limit.min(ListQuery::LOOKS_MAX)
    }

    /// How many it steps through at most. Where lines are merged with the due jobs, as many of each
    /// are read: no more than the page shows, unless it has to search.
    fn looks(&self) -> usize {
        match self.query.walk {
            Walk::Scheduled => LOOKS_MERGED_MAX,
            Walk::Due if self.query.filter == ListFilter::default() => self.page(),
            _ => ListQuery::LOOKS_MAX,
        }
    }

    fn bind(&self, query: BoundQuery) -> BoundQuery {
        let walk = &self.query.walk;
        let filter = &self.query.filter;
        let begin = self.after.unwrap_or(begin(walk.is_reversed()));
        let state = match walk {
            Walk::State(state, _) => Some(i16::from(state.as_code())),
            _ => None,
        };
        let token = match walk {
            Walk::Held { token } => Some(token.as_bytes().to_vec()),
            _ => None,
        };
        let tagged = match walk {
            Walk::Tagged(tag, _) => Some(tag),
            _ => None,
        };
        query
            .bind(integer(begin.seq))
            .bind(begin.at.as_millis())
            .bind(begin.priority)
            .bind(limit(self.page()))
            .bind(limit(self.looks()))
            .bind(state)
            .bind(filter.states.iter().map(|state| i16::from(state.as_code())).collect::<Vec<_>>())
            .bind(filter.worker.as_ref().map(|worker| worker.as_str().to_owned()))
            .bind(filter.kind.as_ref().map(|kind| kind.as_str().to_owned()))
            .bind(filter.tag.as_ref().map(text))
            .bind(filter.id_prefix.clone())
            .bind(filter.entered.as_ref().map(|entered| entered.start.as_millis()))
            .bind(filter.entered.as_ref().map(|entered| entered.end.as_millis()))
            .bind(tagged.map(text))
            .bind(token)
            .bind(filter.partition.as_ref().map(ToString::to_string))
    }

    /// Behind which place the next page begins: the last job of a full page, else where the walk
    /// was left.
    fn end(&self, first: &PgRow, jobs: &[JobMeta]) -> Result<Option<PageEnd>, VerbError> {
        if jobs.len() == self.page() {
            return Ok(jobs.last().map(|job| self.query.walk.place_of(job)).or(self.after));
        }
        let at = Timestamp::from_millis(first.try_get(3)?);
        Ok(Some(PageEnd { at, priority: first.try_get(4)?, seq: counter(first, 2)? }))
    }

    /// The jobs in the order of the walk.
    fn read(&self, rows: &[PgRow]) -> Result<Vec<JobMeta>, VerbError> {
        let mut jobs = Vec::new();
        for row in rows {
            if let Some(position) = row.try_get::<Option<i64>, _>(POSITION_AT)? {
                jobs.push((position, read_job(row, JOB_AT, &self.query.queue)?.meta));
            }
        }
        jobs.sort_unstable_by_key(|(position, _)| *position);
        Ok(jobs.into_iter().map(|(_, job)| job).collect())
    }
}

/// Before the first place of a walk.
fn begin(is_reversed: bool) -> PageEnd {
    if is_reversed {
        let at = Timestamp::from_millis(i64::MAX);
        PageEnd { at, priority: i16::MAX, seq: i64::MAX.unsigned_abs() }
    } else {
        PageEnd { at: Timestamp::from_millis(i64::MIN), priority: i16::MIN, seq: 0 }
    }
}

fn text(tag: &Tag) -> String {
    tag.as_str().to_owned()
}
