//! Which jobs of an enqueue are sent together.

use crate::{call::CallConnection, verb_error::VerbError};
use queue_core::{Enqueued, JobId, NewJob, OnFailed, OnWaiting, State};
use sqlx::Row;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The jobs to send next: each id once, and no job that has to be numbered behind one that is not
/// sent (I12). A job whose answer follows from that of an earlier job of the same id is answered
/// here.
pub(super) fn open_round(jobs: &[&NewJob], answers: &mut [Option<Enqueued>]) -> Vec<usize> {
    let mut before: HashMap<&JobId, usize> = HashMap::with_capacity(jobs.len());
    let mut targets: HashSet<&JobId> = HashSet::new();
    let mut round = Vec::with_capacity(jobs.len());
    for (at, job) in jobs.iter().enumerate() {
        if answers[at].is_none() {
            let is_open = |id: &JobId| before.get(id).is_some_and(|earlier| answers[*earlier].is_none());
            // A job that it signals to has to be stored before it, and one that signals to what it
            // replaces, too.
            let comes_later = job.end_signals.iter().any(|signal| is_open(&signal.to))
                || (replaces_waiting(job) && targets.contains(&job.id));
            if comes_later {
                break;
            }
            let earlier = before.get(&job.id).copied();
            match earlier.map(|earlier| &answers[earlier]) {
                None => round.push(at),
                // This job may begin a life after all, and then those behind it have to wait for
                // their numbers.
                Some(None) if may_replace(job) || earlier.is_some_and(|at| jobs[at].raises()) => break,
                Some(None) => {}
                Some(Some(earlier)) => match repeat(earlier, job) {
                    None => round.push(at),
                    answer => answers[at] = answer,
                },
            }
            if round.last() == Some(&at) {
                targets.extend(job.end_signals.iter().map(|signal| &signal.to));
            }
        }
        before.insert(&job.id, at);
    }
    round
}

/// Keeps others from entering the ids of all rounds until the transaction ends, if some are not for
/// the first: rounds enter ids before lesser ones, and two transactions that did so could wait for
/// each other. A transaction of a caller may last, and reserves nothing.
pub(super) async fn reserve_ids(
    connection: &mut CallConnection<'_>,
    queue: i32,
    jobs: &[&NewJob],
    first: &[usize],
) -> Result<(), VerbError> {
    if connection.commits_each_statement() || connection.is_in_callers_transaction() {
        return Ok(());
    }
    // A round has each id once.
    let ids: BTreeSet<&JobId> = jobs.iter().map(|job| &job.id).collect();
    if ids.len() == first.len() {
        return Ok(());
    }
    let ids: Vec<String> = ids.into_iter().map(JobId::to_string).collect();
    let reserve = &connection.handle.statements.reserve_ids;
    let rows = connection.write(reserve, |query| query.bind(queue).bind(ids.clone())).await?;
    let lives: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let free = &connection.handle.statements.free_ids;
    connection.write(free, |query| query.bind(queue).bind(lives.clone())).await.map(drop)
}

/// Whether a job takes the place of one that waits.
pub(super) fn replaces_waiting(job: &NewJob) -> bool {
    job.on_waiting != OnWaiting::Block
}

/// Whether a job may begin a life where another has the id.
fn may_replace(job: &NewJob) -> bool {
    job.on_failed == OnFailed::Replace || replaces_waiting(job)
}

/// The answer to a job after an earlier one of the same id in the same call; `None` if the store
/// must say.
fn repeat(earlier: &Enqueued, job: &NewJob) -> Option<Enqueued> {
    match earlier {
        Enqueued::Queued { .. } if replaces_waiting(job) => None,
        Enqueued::Queued { seq } => Some(Enqueued::Duplicate { seq: *seq, state: State::Queued }),
        Enqueued::Duplicate { state, .. } if state.is_waiting() && replaces_waiting(job) => None,
        Enqueued::Duplicate { state: State::Failed, .. } if job.on_failed == OnFailed::Replace => None,
        // It has no life.
        Enqueued::Orphaned => None,
        Enqueued::Duplicate { .. } | Enqueued::Completed { .. } => Some(earlier.clone()),
    }
}
