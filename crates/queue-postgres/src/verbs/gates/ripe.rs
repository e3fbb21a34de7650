//! Folds after a settle: of the gates that it may have made complete.

use super::fold::{Folded, PostgresFoldGates};
use crate::{
    call::{CallConnection, SqlVerb, call},
    handle::HandleState,
    row::integer,
    verb_error::VerbError,
};
use queue_core::{
    Applied, JobMeta, QueueName, Result, Span, Timestamp,
    lifecycle::{Patch, Transition},
};
use sqlx::Row;
use std::{collections::BTreeSet, error::Error};
use tracing::debug;

/// Folds in a row, while each leaves slips behind that it could take.
const FOLDS_MAX: usize = 8;

/// Which gates may open by a fold, of those that were closed or sealed, and of those that got
/// signals of these senders.
#[derive(Debug)]
struct PostgresFindRipe {
    queue: i32,
    looks: Vec<i64>,
    senders: Vec<i64>,
}

impl SqlVerb for PostgresFindRipe {
    type Answer = Vec<i64>;

    const NAME: &'static str = "apply";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Vec<i64>, VerbError> {
        let (looks, senders) = (self.looks.clone(), self.senders.clone());
        let find = &connection.handle.statements.find_ripe;
        let rows = connection.read(find, |query| query.bind(self.queue).bind(looks).bind(senders)).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?)
    }
}

/// Folds until it has taken what it could.
pub(crate) async fn fold_all(handle: &HandleState, fold: &PostgresFoldGates<'_>) -> Result<Folded> {
    let mut all = Folded::default();
    for _ in 0..FOLDS_MAX {
        let folded = call(handle, fold).await?;
        all.opened.extend(folded.opened);
        (all.is_held, all.has_more) = (folded.is_held, folded.has_more);
        if !all.has_more {
            break;
        }
    }
    Ok(all)
}

/// Folds what waits at gates of which calls have seen that it is much, and waits for no lock. What
/// fails is left to the next claim.
pub(crate) async fn fold_crowds(handle: &HandleState) {
    for (name, targets) in handle.crowds.take() {
        let Some(queue) = handle.names.number(&name) else { continue };
        let fold = PostgresFoldGates { queue, name: &name, targets: Some(targets.into_iter().collect()) };
        if let Err(error) = fold_all(handle, &fold).await {
            let error: &dyn Error = &error;
            debug!(error, "what came to crowded gates is left to the next claim");
        }
    }
}

/// Folds after a commit what its transitions left at gates, and waits for no lock, so that a
/// read after them shows an open one. What fails is left to the next claim.
pub(crate) async fn fold_after(handle: &HandleState, batch: &[Transition], applied: &mut [Applied]) {
    for left in Left::of(batch, applied) {
        let Some(queue) = handle.names.number(left.name) else { continue };
        let folding = async {
            let targets = match left.find_ripe(queue) {
                Some(find) => Some(call(handle, &find).await?),
                None => None,
            };
            if targets.as_ref().is_some_and(Vec::is_empty) {
                return Ok(Folded::default());
            }
            fold_all(handle, &PostgresFoldGates { queue, name: left.name, targets }).await
        };
        match folding.await {
            Ok(folded) => left.answer(&folded, batch, applied),
            Err(error) => {
                let error: &dyn Error = &error;
                debug!(error, "what came to a gate is left to the next claim");
            }
        }
    }
}

/// Folds what transitions left at gates in their own transaction, since others of the same call
/// come after them.
pub(in crate::verbs) async fn fold_between(
    connection: &mut CallConnection<'_>,
    batch: &[Transition],
    applied: &mut [Applied],
) -> Result<(), VerbError> {
    for left in Left::of(batch, applied) {
        let Some(queue) = connection.find_queue(left.name).await? else { continue };
        let targets = match left.find_ripe(queue) {
            Some(find) => Some(find.run(connection).await?),
            None => None,
        };
        if targets.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let folded = PostgresFoldGates { queue, name: left.name, targets }.run(connection).await?;
        left.answer(&folded, batch, applied);
    }
    Ok(())
}

/// What transitions of a queue left at gates.
#[derive(Debug)]
struct Left<'a> {
    name: &'a QueueName,
    /// The jobs that closed or sealed their gates.
    looks: Vec<i64>,
    /// The jobs that sent signals.
    senders: Vec<i64>,
    /// One of these was removed, and with it what it was to send.
    is_removed: bool,
}

impl<'a> Left<'a> {
    fn of(batch: &'a [Transition], applied: &[Applied]) -> Vec<Self> {
        let written = || batch.iter().zip(applied).filter(|(_, it)| matches!(it, Applied::Done(_)));
        let queues: BTreeSet<&QueueName> = written()
            .filter(|(sent, _)| sent.patch.is_of_gate() || sent.sends())
            .map(|(sent, _)| &sent.queue)
            .collect();
        let left = queues.into_iter().map(|name| {
            let of_queue = || written().map(|(sent, _)| sent).filter(|sent| sent.queue == *name);
            let seq = |sent: &Transition| integer(sent.seq.get());
            Self {
                name,
                looks: of_queue().filter(|sent| sent.patch.is_of_gate()).map(seq).collect(),
                senders: of_queue().filter(|sent| sent.sends()).map(seq).collect(),
                is_removed: of_queue().any(|sent| sent.sends() && matches!(sent.patch, Patch::Remove)),
            }
        });
        left.collect()
    }

    /// The question which gates may open; none if all that came to any has to be looked at.
    fn find_ripe(&self, queue: i32) -> Option<PostgresFindRipe> {
        let find = || PostgresFindRipe { queue, looks: self.looks.clone(), senders: self.senders.clone() };
        (!self.is_removed).then(find)
    }

    /// Answers with the job as it is since a fold where its own step opened its gate, unless
    /// something changed the job in between.
    fn answer(&self, folded: &Folded, batch: &[Transition], applied: &mut [Applied]) {
        for (sent, applied) in batch.iter().zip(applied) {
            let is_own = |job: &&JobMeta| job.seq == sent.seq && sent.patch.is_of_gate();
            if let (Some(job), Applied::Done(meta)) = (folded.opened.iter().find(is_own), applied)
                && job.queue == *self.name
                && job.revision == meta.revision + 1
            {
                *meta = job.clone();
            }
        }
    }
}

/// The latest moment of the next claim where a fold left something to others: the rollback of one
/// sends no hint.
pub(crate) fn held_until(now: Timestamp) -> Timestamp {
    now + Span::from_secs(1)
}
