//! `enqueue`: stores jobs whose ids may be taken, by `sql/enqueue.sql`.

use super::{
    enqueue_new::NewIds,
    gates::{Judged, judge_round, store_round},
    rounds::{open_round, replaces_waiting, reserve_ids},
};
use crate::{
    call::{BoundQuery, CallConnection, CommitScope, SqlVerb, intern_for},
    row::{code, counter, flags, foreign, gate_flags, limit, read_payload},
    verb_error::VerbError,
};
use queue_core::{
    AnswerRoom, Enqueued, Error, ErrorKind, JobChange, JobId, NewJob, OnFailed, OnWaiting, QueueName, Seq,
    Span, Stamped, State, lifecycle::Flags,
};
use sqlx::{Row, postgres::PgRow};
use std::iter;

/// Rounds in which unanswered jobs are sent again. A job stays unanswered only where another
/// enqueue of the same id ended meanwhile, or where one call names an id twice.
const ROUNDS_MAX: usize = 16;

/// Stores jobs whose ids may be taken.
#[derive(Debug)]
pub(crate) struct PostgresEnqueue<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) groups: &'a [Vec<NewJob>],
}

impl SqlVerb for PostgresEnqueue<'_> {
    type Answer = Stamped<Vec<Vec<Enqueued>>>;

    const NAME: &'static str = "enqueue";

    /// A group of several must not be left half-stored between two rounds, and turns end with a
    /// transaction.
    fn scope(&self) -> CommitScope {
        let is_plain = |job: &NewJob| !replaces_waiting(job) && !job.has_gates();
        let is_alone = |group: &Vec<NewJob>| group.len() <= 1 && group.iter().all(is_plain);
        if self.groups.iter().all(is_alone) { CommitScope::Statement } else { CommitScope::Transaction }
    }

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let jobs: Vec<&NewJob> = self.groups.iter().flatten().collect();
        if are_orphans(connection, self.queue, &jobs).await? {
            return Ok(());
        }
        let queue = intern_for(connection, self.queue, jobs.iter().copied()).await?;
        if jobs.iter().any(|job| job.gate.is_some()) {
            connection.mark_gates(queue).await?;
        }
        Ok(())
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let jobs: Vec<&NewJob> = self.groups.iter().flatten().collect();
        let mut answers = if are_orphans(connection, self.queue, &jobs).await? {
            connection.now().await?;
            vec![Enqueued::Orphaned; jobs.len()].into_iter()
        } else {
            let queue = intern_for(connection, self.queue, jobs.iter().copied()).await?;
            take_turns(connection, queue, &jobs, iter::empty()).await?;
            enqueue_jobs(connection, queue, self.queue, &jobs, None).await?.into_iter()
        };
        let each = |group: &Vec<NewJob>| answers.by_ref().take(group.len()).collect();
        let mut value: Vec<Vec<Enqueued>> = self.groups.iter().map(each).collect();
        // Each round had room for so many bytes, so several rounds together may have brought more.
        AnswerRoom::new(connection.handle.options.limits.answer_bytes_max).trim_results(&mut value);
        Ok(Stamped::at(connection.latest_time(), value))
    }
}

/// Whether all these jobs are orphans, since each is to raise a job of a queue that never had one.
/// A queue gets no number by them.
pub(crate) async fn are_orphans(
    connection: &mut CallConnection<'_>,
    queue: &QueueName,
    jobs: &[&NewJob],
) -> Result<bool, VerbError> {
    let all_raise = !jobs.is_empty() && jobs.iter().all(|job| job.raises());
    Ok(all_raise && connection.find_queue(queue).await?.is_none())
}

/// Keeps others from replacing the waiting jobs that these jobs replace, until all is committed.
/// The caller does so before it locks anything, with the ids of all else that the transaction will
/// lock, so that no deadlock arises; and never in a transaction of a caller, which may last.
pub(super) async fn take_turns(
    connection: &mut CallConnection<'_>,
    queue: i32,
    jobs: &[&NewJob],
    others: impl Iterator<Item = &JobId>,
) -> Result<(), VerbError> {
    let replacing = jobs.iter().filter(|job| replaces_waiting(job));
    let mut ids: Vec<String> = replacing.map(|job| job.id.to_string()).collect();
    if !ids.is_empty() {
        ids.extend(others.map(JobId::to_string));
        connection
            .read(&connection.handle.statements.take_turns, |query| query.bind(queue).bind(ids))
            .await?;
    }
    Ok(())
}

/// Stores jobs, in as many rounds as their ids need; the answers are in their order. `holder` is
/// the job whose own step they follow, if that has not ended.
pub(crate) async fn enqueue_jobs(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
    holder: Option<Seq>,
) -> Result<Vec<Enqueued>, VerbError> {
    let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
    if jobs.is_empty() {
        connection.now().await?;
    }
    // An id that stands in the call twice cuts a round short, so there may be a round for each job.
    for number in 0..ROUNDS_MAX + jobs.len() {
        let mut round = open_round(jobs, &mut answers);
        if round.is_empty() {
            return Ok(answers.into_iter().flatten().collect());
        }
        if number == 0 {
            reserve_ids(connection, queue, jobs, &round).await?;
        }
        let judged = if round.iter().any(|at| jobs[*at].has_gates()) {
            judge_round(connection, queue, name, jobs, &mut round, &mut answers, holder).await?
        } else {
            vec![Judged::default(); round.len()]
        };
        if !round.is_empty() {
            if !enqueue_new_round(connection, queue, name, jobs, &round, &judged, &mut answers).await? {
                enqueue_round(connection, queue, name, jobs, &round, &judged, &mut answers).await?;
            }
            store_round(connection, queue, jobs, &round, &judged, &answers, holder).await?;
        }
    }
    let message = "the ids kept being taken and freed by others; try again";
    Err(Error::new(ErrorKind::Conflict, "enqueue", message).into())
}

/// Stores the jobs of a round by the short statement. False, with nothing written, if an id is
/// taken, or if that was found out before, as for jobs without gates and signals. In a transaction
/// of a caller it would break that, if another call takes an id meanwhile.
async fn enqueue_new_round(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
    round: &[usize],
    judged: &[Judged],
    answers: &mut [Option<Enqueued>],
) -> Result<bool, VerbError> {
    if connection.is_in_callers_transaction() || !round.iter().any(|at| jobs[*at].has_gates()) {
        return Ok(false);
    }
    let sent = round.iter().zip(judged).map(|(at, judged)| (jobs[*at], all_flags(jobs[*at], judged)));
    let Some(new) = NewIds::of(sent.collect()) else { return Ok(false) };
    let Some(lives) = new.store(connection, queue, name).await? else { return Ok(false) };
    for (at, seq) in round.iter().zip(lives) {
        answers[*at] = Some(Enqueued::Queued { seq });
    }
    Ok(true)
}

async fn enqueue_round(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
    round: &[usize],
    judged: &[Judged],
    answers: &mut [Option<Enqueued>],
) -> Result<(), VerbError> {
    let handle = connection.handle;
    let origin = connection.origin();
    let may_repeat = !connection.is_in_callers_transaction();
    let floor = connection.time_floor();
    let room = limit(handle.options.limits.answer_bytes_max);
    let sent: Vec<&NewJob> = round.iter().map(|at| jobs[*at]).collect();
    let rows = connection
        .write(&handle.statements.enqueue, |query| {
            bind_jobs(query.bind(floor).bind(queue), &sent, judged)
                .bind(handle.notify_channel().map(str::to_owned))
                .bind(origin.clone())
                .bind(may_repeat)
                .bind(room)
                .bind(sent.iter().map(|job| millis(job.expires_in)).collect::<Vec<_>>())
                .bind(sent.iter().map(|job| longest_wait(job)).collect::<Vec<_>>())
                .bind(sent.iter().map(|job| headers(job)).collect::<Vec<_>>())
                .bind(sent.iter().map(|job| tags(job)).collect::<Vec<_>>())
                .bind(sent.iter().map(|job| partition(job)).collect::<Vec<_>>())
        })
        .await?;
    connection.note_time(&rows, 0)?;
    for row in &rows {
        let at = usize::try_from(row.try_get::<i64, _>(1)? - 1).map_err(|_| foreign("no such position"))?;
        let answer = read_answer(row)?;
        if let (Some(Enqueued::Queued { seq }), Some(new)) = (&answer, sent.get(at)) {
            hint_at_new(connection, name, &new.id, *seq, row)?;
        }
        answers[*round.get(at).ok_or_else(|| foreign("no such position"))?] = answer;
    }
    Ok(())
}

/// Notes a new life for subscribers, and the end of the life whose place it took.
fn hint_at_new(
    connection: &mut CallConnection<'_>,
    name: &QueueName,
    id: &JobId,
    seq: Seq,
    row: &PgRow,
) -> Result<(), VerbError> {
    if row.try_get::<Option<i64>, _>(3)?.is_some() {
        let seq = Seq::new(counter(row, 3)?);
        let revision = counter(row, 4)? + 1;
        connection.notices.tell(name, JobChange { id: id.clone(), seq, revision, state: None });
    }
    let change = JobChange { id: id.clone(), seq, revision: 1, state: Some(State::Queued) };
    connection.notices.tell(name, change);
    connection.notices.wake(name);
    Ok(())
}

/// Reads a new life, or what holds the id; `None` if the id was taken and freed meanwhile.
fn read_answer(row: &PgRow) -> Result<Option<Enqueued>, VerbError> {
    if row.try_get::<Option<i64>, _>(2)?.is_some() {
        return Ok(Some(Enqueued::Queued { seq: Seq::new(counter(row, 2)?) }));
    }
    let has_holder = row.try_get::<Option<i64>, _>(3)?.is_some();
    let makes_room = row.try_get::<Option<bool>, _>(8)?.unwrap_or(false);
    if !has_holder || makes_room {
        return Ok(None);
    }
    let seq = Seq::new(counter(row, 3)?);
    let state = code(row.try_get(5)?, State::from_code)?;
    if state != State::Completed {
        return Ok(Some(Enqueued::Duplicate { seq, state }));
    }
    Ok(Some(Enqueued::Completed { seq, result: read_payload(row, 6)? }))
}

/// The columns of jobs, each as one array.
fn bind_jobs(query: BoundQuery, jobs: &[&NewJob], judged: &[Judged]) -> BoundQuery {
    query
        .bind(jobs.iter().map(|job| job.id.as_str()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.kind.as_str()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.priority).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.delay.as_millis()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.terms.to_bytes()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.on_failed == OnFailed::Replace).collect::<Vec<_>>())
        .bind(jobs.iter().zip(judged).map(|(job, judged)| all_flags(job, judged)).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.payload.content_type.as_str()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| &job.payload.bytes[..]).collect::<Vec<_>>())
}

/// A length of time that a job may have, in milliseconds. No length is -1 rather than a null, since
/// `unnest` pads short columns with nulls.
pub(super) fn millis(span: Option<Span>) -> i64 {
    span.map_or(-1, Span::as_millis)
}

/// Headers as lines; no text if there are none.
pub(super) fn headers(job: &NewJob) -> String {
    job.headers.to_text().unwrap_or_default()
}

/// Tags as lines; no text if there are none.
pub(super) fn tags(job: &NewJob) -> String {
    job.tags.to_text().unwrap_or_default()
}

/// The partition; no text if there is none.
pub(super) fn partition(job: &NewJob) -> String {
    job.partition.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// How long a job that takes the place of a waiting one may be put off, as `enqueue.sql` takes it.
fn longest_wait(job: &NewJob) -> i64 {
    match job.on_waiting {
        OnWaiting::Block => -2,
        OnWaiting::Replace { max_wait } => millis(max_wait),
    }
}

fn all_flags(job: &NewJob, judged: &Judged) -> i16 {
    new_flags(job) + gate_flags(job.gate.is_some(), judged.owed)
}

pub(super) fn new_flags(job: &NewJob) -> i16 {
    flags(Flags { cancel_requested: false, awaited: job.awaited })
}
