use super::get::NO_QUEUE;
use crate::{
    fault::Fault,
    row::{code, counter, foreign},
    session::Session,
    verb::Verb,
};
use queue_core::{Counts, QueueName, State, Timestamp};
use sqlx::Row;

/// Counts the jobs of a queue by state. Reads the queue's part of three indexes.
#[derive(Debug)]
pub(crate) struct CountJobs<'a>(pub(crate) &'a QueueName);

impl Verb for CountJobs<'_> {
    type Answer = Counts;

    const NAME: &'static str = "counts";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, session: &mut Session<'_>) -> Result<Counts, Fault> {
        let queue = session.find_queue(self.0).await?.unwrap_or(NO_QUEUE);
        let (shared, reading) = (session.shared, session.reading());
        let rows = session.read(&shared.statements.counts, |query| query.bind(reading).bind(queue)).await?;
        let mut counts = Counts::empty(session.told(&rows, 0)?);
        for row in &rows {
            let Some(state) = row.try_get::<Option<i16>, _>(1)? else { continue };
            let state = code(state, State::from_code).map_err(|_| foreign("no such state"))?;
            counts.set(state, counter(row, 2)?);
            counts.scheduled += counter(row, 3)?;
            let oldest = row.try_get::<Option<i64>, _>(4)?.map(Timestamp::from_millis);
            counts.oldest_due = [counts.oldest_due, oldest].into_iter().flatten().min();
        }
        Ok(counts)
    }
}
