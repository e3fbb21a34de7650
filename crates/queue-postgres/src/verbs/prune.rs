use super::get::NO_QUEUE;
use crate::{
    fault::Fault,
    row::{counter, limit, name},
    session::Session,
    verb::Verb,
};
use queue_core::{JobChange, JobId, Prune, QueueName, Seq};
use sqlx::Row;

/// Removes records, as many as fit one transaction; the store sends it again until the request is met.
#[derive(Debug)]
pub(crate) struct PruneSome<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) what: Prune,
    pub(crate) limit: usize,
}

/// What it did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruned {
    pub(crate) removed: usize,
    /// There is nothing more to look at. Some may be left all the same, that were on their way to another table.
    pub(crate) is_all: bool,
}

impl PruneSome<'_> {
    /// Records removed in one transaction, so that others need not wait long for their rows.
    pub(crate) const MAX: usize = 5_000;
}

impl Verb for PruneSome<'_> {
    type Answer = Pruned;

    const NAME: &'static str = "prune";

    async fn run(&self, session: &mut Session<'_>) -> Result<Pruned, Fault> {
        let queue = session.find_queue(self.queue).await?.unwrap_or(NO_QUEUE);
        let (shared, origin, reading) = (session.shared, session.origin(), session.reading());
        let (statement, age) = match self.what {
            Prune::Expired => (&shared.statements.prune_expired, None),
            Prune::FinishedBefore(age) => (&shared.statements.prune_finished, Some(age.as_millis())),
            Prune::Everything => (&shared.statements.prune_everything, None),
        };
        let rows = session
            .write(statement, |query| {
                let query = query.bind(reading).bind(queue).bind(age).bind(limit(self.limit));
                query.bind(shared.channel().map(str::to_owned)).bind(origin.clone())
            })
            .await?;
        session.told(&rows, 1)?;
        let looked_at = counter(rows.first().ok_or(sqlx::Error::RowNotFound)?, 5)?;
        let mut removed = 0;
        for row in &rows {
            if row.try_get::<Option<i64>, _>(3)?.is_some() {
                let (seq, revision) = (Seq::new(counter(row, 3)?), counter(row, 4)?);
                let change = JobChange { id: name::<JobId>(row, 2)?, seq, revision, state: None };
                session.notices.tell(self.queue, change);
                removed += 1;
            }
        }
        Ok(Pruned { removed, is_all: looked_at < self.limit as u64 })
    }
}
