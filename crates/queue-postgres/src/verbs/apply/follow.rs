//! What comes after the patches of a run: its followers, and what it does to gates.

use super::{
    apply_verb::ItemAnswer,
    plan::{followers, touches_gates},
};
use crate::{
    call::{CallConnection, intern_for},
    verb_error::VerbError,
    verbs::{
        enqueue::enqueue_jobs,
        gates::{close_or_seal, look, read_again, send},
    },
};
use queue_core::{Applied, QueueName, lifecycle::Transition};
use std::collections::HashMap;

/// Does what comes after the patches of the items that were written now: a replayed item did it
/// when it was first written.
pub(super) async fn follow(
    connection: &mut CallConnection<'_>,
    run: &[Transition],
    queues: &HashMap<&QueueName, i32>,
    answers: &mut [ItemAnswer],
) -> Result<(), VerbError> {
    if let ([sent], [item]) = (run, &mut *answers)
        && touches_gates(sent)
    {
        let ItemAnswer { answer: Applied::Done(job), is_written: true } = item else { return Ok(()) };
        let queue = queues[&sent.queue];
        close_or_seal(connection, queue, sent, job).await?;
        if !sent.then.is_empty() {
            let jobs: Vec<_> = sent.then.iter().collect();
            intern_for(connection, &sent.queue, jobs.iter().copied()).await?;
            let holder = (!job.state.is_terminal()).then_some(sent.seq);
            enqueue_jobs(connection, queue, &sent.queue, &jobs, holder).await?;
            read_again(connection, queue, job).await?;
        }
        look(connection, queue, sent).await?;
        if let Some(signal) = sent.signal.filter(|_| sent.sends()) {
            send(connection, queue, sent.seq, signal.outcome).await?;
            connection.notices.wake(&sent.queue);
        }
        return Ok(());
    }
    let written = run.iter().zip(&*answers).filter(|(_, item)| item.is_written);
    for (sent, _) in written.clone().filter(|(sent, _)| sent.sends()) {
        connection.notices.wake(&sent.queue);
    }
    for (name, jobs) in followers(written.map(|(sent, _)| sent)) {
        let queue = intern_for(connection, name, jobs.iter().copied()).await?;
        enqueue_jobs(connection, queue, name, &jobs, None).await?;
    }
    Ok(())
}
