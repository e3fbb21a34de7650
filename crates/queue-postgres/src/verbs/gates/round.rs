//! What a round of an enqueue does about gates, before and after it stores its jobs.

use super::{
    raise::{Judged, answer_orphans, judge},
    store::{NewLife, store},
};
use crate::{call::CallConnection, verb_error::VerbError};
use queue_core::{Enqueued, NewJob, QueueName, Seq};

/// Judges the end signals of a round, answers the jobs whose raise no other takes,
/// and takes them out of it.
pub(in crate::verbs) async fn judge_round(
    connection: &mut CallConnection<'_>,
    queue: i32,
    name: &QueueName,
    jobs: &[&NewJob],
    round: &mut Vec<usize>,
    answers: &mut [Option<Enqueued>],
    holder: Option<Seq>,
) -> Result<Vec<Judged>, VerbError> {
    let sent: Vec<&NewJob> = round.iter().map(|at| jobs[*at]).collect();
    let judged = judge(connection, queue, name, &sent, holder).await?;
    let is_orphan = |at: usize| judged.get(at).is_some_and(|judged| judged.is_orphan);
    let orphans: Vec<usize> = (0..round.len()).filter(|at| is_orphan(*at)).map(|at| round[at]).collect();
    let refused: Vec<&NewJob> = orphans.iter().map(|at| jobs[*at]).collect();
    for (at, answer) in orphans.iter().zip(answer_orphans(connection, queue, name, &refused).await?) {
        answers[*at] = Some(answer);
    }
    round.retain(|at| !orphans.contains(at));
    Ok(judged.into_iter().filter(|judged| !judged.is_orphan).collect())
}

/// Stores the gates and end signals of those jobs of a round that were stored.
pub(in crate::verbs) async fn store_round(
    connection: &mut CallConnection<'_>,
    queue: i32,
    jobs: &[&NewJob],
    round: &[usize],
    judged: &[Judged],
    answers: &[Option<Enqueued>],
    holder: Option<Seq>,
) -> Result<(), VerbError> {
    let lives: Vec<NewLife<'_>> = round
        .iter()
        .zip(judged)
        .filter_map(|(at, judged)| match &answers[*at] {
            Some(Enqueued::Queued { seq }) if jobs[*at].has_gates() => {
                Some(NewLife { seq: *seq, job: jobs[*at], judged })
            }
            _ => None,
        })
        .collect();
    if lives.is_empty() {
        return Ok(());
    }
    let now = connection.latest_time().now;
    store(connection, queue, &lives, holder, now).await
}
