//! `enqueue` of new ids: one short statement, `sql/enqueue_new.sql`, for what nearly every enqueue
//! is.

use super::{
    enqueue::{headers, millis, new_flags, tags},
    short_column::short_column,
};
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb, intern_for},
    verb_error::VerbError,
};
use queue_core::{Enqueued, JobChange, NewJob, QueueName, Seq, Stamped, State};
use sqlx::{Row, postgres::PgRow};

/// Stores jobs whose ids are all free, in one statement that commits by itself. Its answer is
/// `None`, with nothing written, if an id is taken; [`PostgresEnqueue`](super::PostgresEnqueue) is
/// for that case.
#[derive(Debug)]
pub(crate) struct PostgresEnqueueNew<'a> {
    queue: &'a QueueName,
    groups: &'a [Vec<NewJob>],
    jobs: Vec<&'a NewJob>,
    /// The jobs by id, which is the order in which they are entered.
    by_id: Vec<usize>,
}

impl<'a> PostgresEnqueueNew<'a> {
    /// `None` if there is nothing to store, if the call names an id twice, or if a job has a gate
    /// or end signals.
    pub(crate) fn of(queue: &'a QueueName, groups: &'a [Vec<NewJob>]) -> Option<Self> {
        let jobs: Vec<&NewJob> = groups.iter().flatten().collect();
        let mut by_id: Vec<usize> = (0..jobs.len()).collect();
        by_id.sort_by_key(|at| jobs[*at].id.as_str());
        if jobs.iter().any(|job| job.has_gates()) {
            return None;
        }
        let is_said_once = by_id.windows(2).all(|pair| jobs[pair[0]].id != jobs[pair[1]].id);
        (is_said_once && !jobs.is_empty()).then_some(Self { queue, groups, jobs, by_id })
    }

    /// The columns of the jobs, each as one array.
    fn bind(&self, query: BoundQuery) -> BoundQuery {
        let jobs = || self.sorted();
        query
            .bind(jobs().map(|job| job.id.as_str()).collect::<Vec<_>>())
            .bind(self.by_id.iter().map(|at| position(*at)).collect::<Vec<_>>())
            .bind(short_column(jobs().map(|job| job.kind.as_str())))
            .bind(short_column(jobs().map(|job| job.priority)))
            .bind(short_column(jobs().map(|job| job.delay.as_millis())))
            .bind(short_column(jobs().map(|job| job.terms.to_bytes())))
            .bind(short_column(jobs().map(new_flags)))
            .bind(short_column(jobs().map(|job| job.payload.content_type.as_str())))
            .bind(jobs().map(|job| &job.payload.bytes[..]).collect::<Vec<_>>())
    }

    fn sorted(&self) -> impl Iterator<Item = &'a NewJob> {
        self.by_id.iter().map(|at| self.jobs[*at])
    }

    /// Reads the new lives, and notes them for subscribers.
    fn read(&self, connection: &mut CallConnection<'_>, row: &PgRow) -> sqlx::Result<Vec<Vec<Enqueued>>> {
        let lives: Vec<i64> = row.try_get(1)?;
        let mut lives = lives.into_iter().map(|life| Seq::new(life.unsigned_abs()));
        let mut enter = |job: &NewJob| -> sqlx::Result<Enqueued> {
            let seq = lives.next().ok_or(sqlx::Error::RowNotFound)?;
            let change = JobChange { id: job.id.clone(), seq, revision: 1, state: Some(State::Queued) };
            connection.notices.tell(self.queue, change);
            Ok(Enqueued::Queued { seq })
        };
        self.groups.iter().map(|group| group.iter().map(&mut enter).collect()).collect()
    }
}

impl SqlVerb for PostgresEnqueueNew<'_> {
    type Answer = Option<Stamped<Vec<Vec<Enqueued>>>>;

    const NAME: &'static str = "enqueue";

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        intern_for(connection, self.queue, self.jobs.iter().copied()).await.map(drop)
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = intern_for(connection, self.queue, self.jobs.iter().copied()).await?;
        let handle = connection.handle;
        let origin = connection.origin();
        let floor = connection.time_floor();
        // Few jobs have labels, and the others do not pay for them: their statement has none.
        let has_labels = self.jobs.iter().any(|job| !job.headers.is_empty() || !job.tags.is_empty());
        let statement =
            if has_labels { &handle.statements.enqueue_new_labelled } else { &handle.statements.enqueue_new };
        let rows = connection
            .write(statement, |query| {
                let query = self
                    .bind(query.bind(floor).bind(queue))
                    .bind(handle.notify_channel().map(str::to_owned))
                    .bind(origin.clone())
                    .bind(short_column(self.sorted().map(|job| millis(job.expires_in))));
                if has_labels {
                    query
                        .bind(short_column(self.sorted().map(headers)))
                        .bind(short_column(self.sorted().map(tags)))
                } else {
                    query
                }
            })
            .await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let moment = connection.note_time(&rows, 0)?;
        let value = self.read(connection, row)?;
        connection.notices.wake(self.queue);
        Ok(Some(Stamped::at(moment, value)))
    }
}

/// A place in the request, from one. A call has fewer jobs than fit.
fn position(at: usize) -> i32 {
    i32::try_from(at + 1).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::PostgresEnqueueNew;
    use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName};

    fn job(id: &str) -> NewJob {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload)
    }

    #[test]
    fn jobs_are_entered_in_the_order_of_their_ids_and_numbered_in_that_of_the_request() {
        let queue = QueueName::from_static("q");
        let groups = [vec![job("c"), job("a")], vec![job("b")]];
        let new = PostgresEnqueueNew::of(&queue, &groups).expect("each id once");
        assert_eq!(new.sorted().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(new.by_id, [1, 2, 0]);
    }

    #[test]
    fn an_id_that_is_said_twice_is_not_for_this() {
        let queue = QueueName::from_static("q");
        assert!(PostgresEnqueueNew::of(&queue, &[vec![job("a")], vec![job("b"), job("a")]]).is_none());
        assert!(PostgresEnqueueNew::of(&queue, &[vec![]]).is_none());
    }
}
