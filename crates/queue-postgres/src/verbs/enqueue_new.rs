//! `enqueue` of new ids: one short statement, `sql/enqueue_new.sql`, for what nearly every enqueue
//! is.

use super::{
    enqueue::{headers, millis, new_flags, partition, tags},
    short_column::short_column,
};
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb, intern_for},
    verb_error::VerbError,
};
use queue_core::{Enqueued, JobChange, NewJob, QueueName, Seq, Stamped, State};
use sqlx::Row;

/// Stores jobs whose ids are all free, in one statement that commits by itself. Its answer is
/// `None`, with nothing written, if an id is taken; [`PostgresEnqueue`](super::PostgresEnqueue) is
/// for that case.
#[derive(Debug)]
pub(crate) struct PostgresEnqueueNew<'a> {
    queue: &'a QueueName,
    groups: &'a [Vec<NewJob>],
    jobs: NewIds<'a>,
}

/// Jobs with their flags, for the short statement.
#[derive(Debug)]
pub(super) struct NewIds<'a> {
    jobs: Vec<(&'a NewJob, i16)>,
    /// The jobs by id, which is the order in which they are entered.
    by_id: Vec<usize>,
}

impl<'a> PostgresEnqueueNew<'a> {
    /// `None` if there is nothing to store, if the call names an id twice, or if a job has a gate
    /// or end signals.
    pub(crate) fn of(queue: &'a QueueName, groups: &'a [Vec<NewJob>]) -> Option<Self> {
        let jobs = || groups.iter().flatten();
        if jobs().any(NewJob::has_gates) {
            return None;
        }
        let jobs = NewIds::of(jobs().map(|job| (job, new_flags(job))).collect())?;
        Some(Self { queue, groups, jobs })
    }
}

impl SqlVerb for PostgresEnqueueNew<'_> {
    type Answer = Option<Stamped<Vec<Vec<Enqueued>>>>;

    const NAME: &'static str = "enqueue";

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        intern_for(connection, self.queue, self.jobs.in_order()).await.map(drop)
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = intern_for(connection, self.queue, self.jobs.in_order()).await?;
        let Some(lives) = self.jobs.store(connection, queue, self.queue).await? else { return Ok(None) };
        let mut lives = lives.into_iter().map(|seq| Enqueued::Queued { seq });
        let value = self.groups.iter().map(|group| lives.by_ref().take(group.len()).collect()).collect();
        Ok(Some(Stamped::at(connection.latest_time(), value)))
    }
}

impl<'a> NewIds<'a> {
    /// `None` if there are no jobs, or if two have one id.
    pub(super) fn of(jobs: Vec<(&'a NewJob, i16)>) -> Option<Self> {
        let id = |at: &usize| jobs[*at].0.id.as_str();
        let mut by_id: Vec<usize> = (0..jobs.len()).collect();
        by_id.sort_by_key(id);
        let is_said_once = by_id.windows(2).all(|pair| id(&pair[0]) != id(&pair[1]));
        (is_said_once && !jobs.is_empty()).then_some(Self { jobs, by_id })
    }

    /// Stores the jobs, and notes them for subscribers. The answer is their lives in the order of
    /// the request, or none, with nothing written, if an id is taken or each job is followed.
    pub(super) async fn store(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
        name: &QueueName,
    ) -> Result<Option<Vec<Seq>>, VerbError> {
        let handle = connection.handle;
        let origin = connection.origin();
        let floor = connection.time_floor();
        // Few jobs have labels, and the others do not pay for them: their statement has none.
        let has_labels = self
            .in_order()
            .any(|job| !job.headers.is_empty() || !job.tags.is_empty() || job.partition.is_some());
        let statement =
            if has_labels { &handle.statements.enqueue_new_labelled } else { &handle.statements.enqueue_new };
        let rows = connection
            .write(statement, |query| {
                let query = self
                    .bind(query.bind(floor).bind(queue))
                    .bind(handle.notify_channel().map(str::to_owned))
                    .bind(origin.clone())
                    .bind(short_column(self.sorted().map(|(job, _)| millis(job.expires_in))));
                if has_labels {
                    query
                        .bind(short_column(self.sorted().map(|(job, _)| headers(job))))
                        .bind(short_column(self.sorted().map(|(job, _)| tags(job))))
                        .bind(short_column(self.sorted().map(|(job, _)| partition(job))))
                } else {
                    query
                }
            })
            .await?;
        let Some(row) = rows.first() else { return Ok(None) };
        connection.note_time(&rows, 0)?;
        let lives: Vec<i64> = row.try_get(1)?;
        let lives: Vec<Seq> = lives.into_iter().map(|life| Seq::new(life.unsigned_abs())).collect();
        for (job, seq) in self.in_order().zip(&lives) {
            let state = Some(State::Queued);
            connection.notices.tell(name, JobChange { id: job.id.clone(), seq: *seq, revision: 1, state });
        }
        connection.notices.wake(name);
        Ok(Some(lives))
    }

    /// The columns of the jobs, each as one array.
    fn bind(&self, query: BoundQuery) -> BoundQuery {
        let jobs = || self.sorted().map(|(job, _)| job);
        query
            .bind(jobs().map(|job| job.id.as_str()).collect::<Vec<_>>())
            .bind(self.by_id.iter().map(|at| position(*at)).collect::<Vec<_>>())
            .bind(short_column(jobs().map(|job| job.kind.as_str())))
            .bind(short_column(jobs().map(|job| job.priority)))
            .bind(short_column(jobs().map(|job| job.delay.as_millis())))
            .bind(short_column(jobs().map(|job| job.terms.to_bytes())))
            .bind(short_column(self.sorted().map(|(_, flags)| flags)))
            .bind(short_column(jobs().map(|job| job.payload.content_type.as_str())))
            .bind(jobs().map(|job| &job.payload.bytes[..]).collect::<Vec<_>>())
    }

    fn in_order(&self) -> impl Iterator<Item = &'a NewJob> {
        self.jobs.iter().map(|(job, _)| *job)
    }

    fn sorted(&self) -> impl Iterator<Item = (&'a NewJob, i16)> {
        self.by_id.iter().map(|at| self.jobs[*at])
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
        assert_eq!(new.jobs.sorted().map(|(job, _)| job.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(new.jobs.by_id, [1, 2, 0]);
    }

    #[test]
    fn an_id_that_is_said_twice_is_not_for_this() {
        let queue = QueueName::from_static("q");
        assert!(PostgresEnqueueNew::of(&queue, &[vec![job("a")], vec![job("b"), job("a")]]).is_none());
        assert!(PostgresEnqueueNew::of(&queue, &[vec![]]).is_none());
    }
}
