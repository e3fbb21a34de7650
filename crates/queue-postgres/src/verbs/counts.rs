//! `counts` and `queues`: the counters of one queue, or of a page of queues.

use super::{get::NO_QUEUE, kind_pause::read_pauses};
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    row::{counter, foreign, integer, name},
    verb_error::VerbError,
};
use queue_core::{Counts, Moment, Pause, QueueName, QueueStatus, QueuesPage, QueuesQuery, State, Timestamp};
use sqlx::{Row, postgres::PgRow};

/// Where the columns of a queue begin: before them stand the time, whether there are totals, and
/// the number of changes.
const NAME_AT: usize = 3;
const COUNTS_AT: usize = NAME_AT + 2;
const PAUSED_KINDS_AT: usize = COUNTS_AT + 9;

/// Counts the jobs of a queue by state, by its counters.
#[derive(Debug)]
pub(crate) struct PostgresCountJobs<'a>(pub(crate) &'a QueueName);

/// Lists queues with their counters.
#[derive(Debug)]
pub(crate) struct PostgresListQueues<'a>(pub(crate) &'a QueuesQuery);

/// Which queues' counters are read.
#[derive(Debug)]
enum QueueSelection<'a> {
    One(i32),
    Page(&'a QueuesQuery),
}

impl SqlVerb for PostgresCountJobs<'_> {
    type Answer = Counts;

    const NAME: &'static str = "counts";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Counts, VerbError> {
        let queue = connection.find_queue(self.0).await?.unwrap_or(NO_QUEUE);
        let (moment, rows) = read_counters(connection, &QueueSelection::One(queue)).await?;
        read_counts(first(&rows)?, moment)
    }
}

impl SqlVerb for PostgresListQueues<'_> {
    type Answer = QueuesPage;

    const NAME: &'static str = "queues";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<QueuesPage, VerbError> {
        let (moment, rows) = read_counters(connection, &QueueSelection::Page(self.0)).await?;
        let mut queues = Vec::with_capacity(rows.len());
        for row in &rows {
            if row.try_get::<Option<&str>, _>(NAME_AT)?.is_some() {
                let name = name::<QueueName>(row, NAME_AT)?;
                let pause = Pause::from_millis(row.try_get(NAME_AT + 1)?).at(moment.now);
                let counts = read_counts(row, moment)?;
                let paused_kinds = read_pauses(row, PAUSED_KINDS_AT, moment.now)?.paused();
                queues.push(QueueStatus { name, pause, paused_kinds, counts });
            }
        }
        // The rows are sorted here rather than by the statement, as for claims: the server is what
        // several workers share.
        queues.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(self.0.page(queues))
    }
}

impl QueueSelection<'_> {
    fn bind(&self, query: BoundQuery) -> BoundQuery {
        match self {
            Self::One(queue) => query.bind(*queue),
            Self::Page(page) => query.bind(page.start().to_owned()).bind(integer(page.limit() as u64)),
        }
    }

    fn bind_all(&self, query: BoundQuery) -> BoundQuery {
        match self {
            Self::One(queue) => query.bind(String::new()).bind(0_i64).bind(*queue),
            Self::Page(_) => self.bind(query).bind(None::<i32>),
        }
    }
}

/// The rows of counters, and the time that they tell.
type CounterRows = (Moment, Vec<PgRow>);

/// Reads by counters, which are counted again first if a crash took them. A server in recovery has
/// none: there the records are counted, except on a connection behind a pooler, which has to try
/// again.
async fn read_counters(
    connection: &mut CallConnection<'_>,
    selection: &QueueSelection<'_>,
) -> Result<CounterRows, VerbError> {
    let found = match look_at_counters(connection, selection).await {
        Err(error) if error.is_in_recovery() && connection.commits_each_statement() => {
            let handle = connection.handle;
            let floor = connection.time_floor();
            let bind = |query: BoundQuery| selection.bind_all(query.bind(floor));
            let rows = connection.read(&handle.statements.count_records, bind).await?;
            (connection.note_time(&rows, 0)?, rows)
        }
        found => found?,
    };
    if first(&found.1)?.try_get::<bool, _>(1)? {
        let changes: Option<i64> = first(&found.1)?.try_get(2)?;
        connection.handle.folds.saw(changes.unwrap_or(0).unsigned_abs());
        return Ok(found);
    }
    let handle = connection.handle;
    connection.write(&handle.statements.recount, |query| query).await?;
    look_at_counters(connection, selection).await
}

async fn look_at_counters(
    connection: &mut CallConnection<'_>,
    selection: &QueueSelection<'_>,
) -> Result<CounterRows, VerbError> {
    let handle = connection.handle;
    let floor = connection.time_floor();
    let statement = match selection {
        QueueSelection::One(_) => &handle.statements.counts,
        QueueSelection::Page(_) => &handle.statements.queues,
    };
    let rows = connection.read(statement, |query| selection.bind(query.bind(floor))).await?;
    Ok((connection.note_time(&rows, 0)?, rows))
}

fn first(rows: &[PgRow]) -> Result<&PgRow, VerbError> {
    rows.first().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Reads the counters of a queue. The waiting jobs are the unfinished ones without those that fail
/// or run.
fn read_counts(row: &PgRow, moment: Moment) -> Result<Counts, VerbError> {
    let column = |nth: usize| counter(row, COUNTS_AT + nth);
    let unfinished = column(0)?;
    let failing = column(1)?;
    let running = column(5)?;
    let queued = unfinished.checked_sub(failing + running);
    let queued = queued.ok_or_else(|| foreign("fewer jobs than those that fail or run"))?;
    let mut counts = Counts::empty(moment);
    counts.set(State::Queued, queued);
    counts.set(State::Processing, running);
    counts.set(State::Failing, failing);
    counts.set(State::Completed, column(2)?);
    counts.set(State::Failed, column(3)?);
    counts.set(State::Cancelled, column(4)?);
    counts.scheduled = row.try_get::<Option<i64>, _>(COUNTS_AT + 6)?.unwrap_or(0).unsigned_abs();
    let oldest: Option<i64> = row.try_get(COUNTS_AT + 7)?;
    counts.gated = row.try_get::<Option<i64>, _>(COUNTS_AT + 8)?.unwrap_or(0).unsigned_abs();
    counts.oldest_due = oldest.map(Timestamp::from_millis);
    Ok(counts)
}
