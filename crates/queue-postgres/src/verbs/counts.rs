use super::get::NO_QUEUE;
use crate::{
    fault::Fault,
    row::{counter, foreign, integer, name},
    session::{Bound, Session},
    verb::Verb,
};
use queue_core::{Counts, Moment, QueueName, QueueStatus, QueuesPage, QueuesQuery, State, Timestamp};
use sqlx::{Row, postgres::PgRow};

/// Where the columns of a queue begin: before them stand the time, whether there are totals, and the number of changes.
const NAME_AT: usize = 3;
const COUNTS_AT: usize = NAME_AT + 2;

/// Counts the jobs of a queue by state, by its counters.
#[derive(Debug)]
pub(crate) struct CountJobs<'a>(pub(crate) &'a QueueName);

/// Lists queues with their counters.
#[derive(Debug)]
pub(crate) struct ListQueues<'a>(pub(crate) &'a QueuesQuery);

/// Of which queues.
#[derive(Debug)]
enum Asked<'a> {
    One(i32),
    Page(&'a QueuesQuery),
}

impl Verb for CountJobs<'_> {
    type Answer = Counts;

    const NAME: &'static str = "counts";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, session: &mut Session<'_>) -> Result<Counts, Fault> {
        let queue = session.find_queue(self.0).await?.unwrap_or(NO_QUEUE);
        let (moment, rows) = session.read_counters(&Asked::One(queue)).await?;
        read_counts(first(&rows)?, moment)
    }
}

impl Verb for ListQueues<'_> {
    type Answer = QueuesPage;

    const NAME: &'static str = "queues";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, session: &mut Session<'_>) -> Result<QueuesPage, Fault> {
        let (moment, rows) = session.read_counters(&Asked::Page(self.0)).await?;
        let mut queues = Vec::with_capacity(rows.len());
        for row in &rows {
            if row.try_get::<Option<&str>, _>(NAME_AT)?.is_some() {
                let (name, paused) = (name::<QueueName>(row, NAME_AT)?, row.try_get(NAME_AT + 1)?);
                queues.push(QueueStatus { name, paused, counts: read_counts(row, moment)? });
            }
        }
        // Here, and not by the statement, as for claims.
        queues.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(self.0.page(queues))
    }
}

impl Asked<'_> {
    fn bind(&self, query: Bound) -> Bound {
        match self {
            Self::One(queue) => query.bind(*queue),
            Self::Page(page) => query.bind(page.start().to_owned()).bind(integer(page.limit() as u64)),
        }
    }

    fn bind_all(&self, query: Bound) -> Bound {
        match self {
            Self::One(queue) => query.bind(String::new()).bind(0_i64).bind(*queue),
            Self::Page(_) => self.bind(query).bind(None::<i32>),
        }
    }
}

type Found = (Moment, Vec<PgRow>);

impl Session<'_> {
    /// Reads by counters, which are counted anew first if a crash took them. A server in recovery has none: there the records
    /// are counted, but for a session behind a pooler, which has to try again.
    async fn read_counters(&mut self, asked: &Asked<'_>) -> Result<Found, Fault> {
        let found = match self.look_at_counters(asked).await {
            Err(fault) if fault.is_in_recovery() && self.commits_each() => {
                let (shared, reading) = (self.shared, self.reading());
                let bind = |query: Bound| asked.bind_all(query.bind(reading));
                let rows = self.read(&shared.statements.count_records, bind).await?;
                (self.told(&rows, 0)?, rows)
            }
            found => found?,
        };
        if first(&found.1)?.try_get::<bool, _>(1)? {
            let changes: Option<i64> = first(&found.1)?.try_get(2)?;
            self.shared.tally.saw(changes.unwrap_or(0).unsigned_abs());
            return Ok(found);
        }
        let shared = self.shared;
        self.write(&shared.statements.recount, |query| query).await?;
        self.look_at_counters(asked).await
    }

    async fn look_at_counters(&mut self, asked: &Asked<'_>) -> Result<Found, Fault> {
        let (shared, reading) = (self.shared, self.reading());
        let statement = match asked {
            Asked::One(_) => &shared.statements.counts,
            Asked::Page(_) => &shared.statements.queues,
        };
        let rows = self.read(statement, |query| asked.bind(query.bind(reading))).await?;
        Ok((self.told(&rows, 0)?, rows))
    }
}

fn first(rows: &[PgRow]) -> Result<&PgRow, Fault> {
    rows.first().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Those that wait are told by what is left of the unfinished.
fn read_counts(row: &PgRow, moment: Moment) -> Result<Counts, Fault> {
    let column = |nth: usize| counter(row, COUNTS_AT + nth);
    let (unfinished, failing, running) = (column(0)?, column(1)?, column(5)?);
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
    counts.oldest_due = oldest.map(Timestamp::from_millis);
    Ok(counts)
}
