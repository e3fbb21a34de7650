//! To which lives the signals of new jobs are, and whether those that are to be raised take it.

use crate::{
    call::CallConnection,
    row::META_COLUMNS,
    row::{foreign, limit, read_job, read_payload},
    verb_error::VerbError,
};
use queue_core::{
    EndSignal, Enqueued, JobId, JobMeta, NewJob, QueueName, Seq, State, Timestamp,
    lifecycle::{Addressed, Admission, address, admit},
};
use sqlx::Row;
use std::{collections::HashMap, convert::Infallible};

/// Where the columns of a job begin in an answer.
const JOB_AT: usize = 2;

/// What is to be stored of the signals of a new job.
#[derive(Clone, Debug, Default)]
pub(in crate::verbs) struct Judged {
    /// How many it was enqueued with, if any: its end owes them, be it none that are left.
    pub(in crate::verbs) owed: Option<usize>,
    /// Those that a job will count, each with its life.
    pub(in crate::verbs) signals: Vec<EndSignal>,
    /// No job takes its raise.
    pub(in crate::verbs) is_orphan: bool,
}

/// Judges the signals of jobs, one after the other. The gates that they are to stay locked until
/// the commit, and are read by a statement that began after it got the locks.
pub(in crate::verbs) async fn judge(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
    holder: Option<Seq>,
) -> Result<Vec<Judged>, VerbError> {
    let mut ids: Vec<&str> =
        jobs.iter().flat_map(|job| &job.end_signals).map(|signal| signal.to.as_str()).collect();
    if ids.is_empty() {
        return Ok(vec![Judged::default(); jobs.len()]);
    }
    ids.sort_unstable();
    ids.dedup();
    let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
    let lock = &connection.handle.statements.lock_targets;
    for row in connection.write(lock, |query| query.bind(queue).bind(ids.clone())).await? {
        if row.try_get(1)? {
            connection.handle.crowds.note(name, row.try_get(0)?);
        }
    }
    let (now, mut targets) = read(connection, queue, name, ids).await?;
    Ok(jobs.iter().map(|job| judge_one(job, &mut targets, holder, now)).collect())
}

fn judge_one(
    job: &NewJob,
    targets: &mut HashMap<JobId, JobMeta>,
    holder: Option<Seq>,
    now: Timestamp,
) -> Judged {
    if job.end_signals.is_empty() {
        return Judged::default();
    }
    let find = |to: &JobId| Ok(targets.get(to).cloned());
    let Ok::<_, Infallible>(addressed) = address(&job.end_signals, holder, now, find, |target| target);
    let Some(Addressed { signals, raised }) = addressed else {
        return Judged { is_orphan: true, ..Judged::default() };
    };
    targets.extend(raised.into_iter().map(|target| (target.id.clone(), target)));
    Judged { owed: Some(signals.len()), signals, is_orphan: false }
}

async fn read(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    ids: Vec<String>,
) -> Result<(Timestamp, HashMap<JobId, JobMeta>), VerbError> {
    let floor = connection.time_floor();
    let get = &connection.handle.statements.get_meta;
    let rows = connection.read(get, |query| query.bind(floor).bind(queue).bind(ids)).await?;
    let now = connection.note_time(&rows, 1)?.now;
    let mut jobs = HashMap::new();
    for row in &rows {
        if row.try_get::<Option<i64>, _>(0)?.is_some() {
            let meta = read_job(row, JOB_AT, name)?.meta;
            jobs.insert(meta.id.clone(), meta);
        }
    }
    Ok((now, jobs))
}

/// The answers to jobs whose raise no other takes, in their order: that comes after the rule of
/// ids.
pub(in crate::verbs) async fn answer_orphans(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
) -> Result<Vec<Enqueued>, VerbError> {
    let mut answers = vec![Enqueued::Orphaned; jobs.len()];
    if jobs.is_empty() {
        return Ok(answers);
    }
    let floor = connection.time_floor();
    let room = limit(connection.handle.options.limits.answer_bytes_max);
    let ids: Vec<String> = jobs.iter().map(|job| job.id.to_string()).collect();
    let get = &connection.handle.statements.get_full;
    let rows = connection.read(get, |query| query.bind(floor).bind(queue).bind(ids).bind(room)).await?;
    let now = connection.note_time(&rows, 1)?.now;
    for row in &rows {
        let Some(position) = row.try_get::<Option<i64>, _>(0)? else { continue };
        let at = usize::try_from(position - 1).map_err(|_| foreign("no such position"))?;
        let meta = read_job(row, JOB_AT, name)?.meta;
        let new = jobs.get(at).ok_or_else(|| foreign("no such position"))?;
        if admit(Some(&meta), new, now) == Admission::Duplicate {
            let seq = meta.seq;
            answers[at] = match meta.state {
                State::Completed => {
                    Enqueued::Completed { seq, result: read_payload(row, JOB_AT + META_COLUMNS + 1)? }
                }
                state => Enqueued::Duplicate { seq, state },
            };
        }
    }
    Ok(answers)
}
