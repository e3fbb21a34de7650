//! Group commit: whatever waits goes into one transaction, so that many callers share the cost of one flush.

use super::{session::Session, task::Task};
use crate::error::Fault;
use tokio::sync::mpsc;

/// Calls in one transaction.
const CALLS_MAX: usize = 1_024;
/// Jobs touched in one transaction, beyond which no further call joins: others wait for its end.
const WEIGHT_MAX: usize = 10_000;

/// How often the writer lets others run before it begins with fewer calls than last time.
const YIELDS_MAX: usize = 32;

/// How often the writer lets others run before it sleeps; a tenth of a millisecond on an idle machine.
const LINGER_YIELDS_MAX: usize = 200;

type Group = Vec<Box<dyn Task>>;

/// How far a transaction came before it failed.
enum Failed {
    /// It did not begin, or did not commit: trying the calls alone would fail in the same way.
    Together(Fault),
    /// A statement of some call failed: the others may do better alone.
    Within(Fault),
}

/// Serves until every sender is gone.
pub(super) fn serve(session: &mut Session<'_>, inbox: &mut mpsc::Receiver<Box<dyn Task>>) {
    let mut calls_before = 0;
    while let Some(first) = next(inbox) {
        let group = gather(first, inbox, calls_before);
        calls_before = group.len();
        commit(session, group);
    }
}

/// Stays awake for a moment: the answers of a commit bring the next calls of a busy worker, and waking a thread takes
/// longer than that. It offers the processor to whoever makes them, so it holds nobody up.
fn next(inbox: &mut mpsc::Receiver<Box<dyn Task>>) -> Option<Box<dyn Task>> {
    for _ in 0..LINGER_YIELDS_MAX {
        match inbox.try_recv() {
            Ok(task) => return Some(task),
            Err(mpsc::error::TryRecvError::Empty) => std::thread::yield_now(),
            Err(mpsc::error::TryRecvError::Disconnected) => return None,
        }
    }
    inbox.blocking_recv()
}

/// Takes what waits by now; nobody waits for a timer. Callers that were just answered may be about to call again, so
/// while there are fewer than last time the processor is offered to them.
fn gather(first: Box<dyn Task>, inbox: &mut mpsc::Receiver<Box<dyn Task>>, calls_before: usize) -> Group {
    let mut weight = first.weight();
    let mut group = vec![first];
    let mut yields = 0;
    while group.len() < CALLS_MAX && weight < WEIGHT_MAX {
        if let Ok(task) = inbox.try_recv() {
            weight = weight.saturating_add(task.weight());
            group.push(task);
        } else if group.len() < calls_before && yields < YIELDS_MAX {
            yields += 1;
            std::thread::yield_now();
        } else {
            break;
        }
    }
    group
}

fn commit(session: &mut Session<'_>, mut group: Group) {
    match transact(session, &mut group) {
        Ok(()) => group.into_iter().for_each(Task::answer),
        Err(Failed::Within(_)) if group.len() > 1 => {
            for task in group {
                commit(session, vec![task]);
            }
        }
        Err(Failed::Within(fault) | Failed::Together(fault)) => {
            for task in group {
                task.fail(&fault);
            }
        }
    }
}

/// All or nothing. Hints are published between the commit and the answers, so that whoever has an answer finds that
/// others were told.
fn transact(session: &mut Session<'_>, group: &mut Group) -> Result<(), Failed> {
    if group.is_empty() {
        return Ok(());
    }
    let path = session.path();
    session.begin().map_err(|error| Failed::Together(Fault::new(path, error)))?;
    let ran = group
        .iter_mut()
        .filter(|task| task.is_wanted())
        .try_for_each(|task| task.run(session))
        .and_then(|()| session.flush());
    if let Err(error) = ran {
        session.rollback();
        return Err(Failed::Within(Fault::new(path, error)));
    }
    session.commit().map_err(|error| {
        session.rollback();
        Failed::Together(Fault::new(path, error).in_commit())
    })
}
