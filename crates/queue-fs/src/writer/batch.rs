//! Group commit: whatever waits goes into one record, so that many callers share the cost of one flush.

use super::{
    session::Session,
    task::{Need, Task},
};
use crate::error::Fault;
use tokio::sync::mpsc;

/// Calls in one record.
const CALLS_MAX: usize = 1_024;
/// Weight of one record, beyond which no further call joins: others wait for its end.
const WEIGHT_MAX: usize = 10_000;
/// How often the thread lets others run before it begins with fewer calls than last time.
const YIELDS_MAX: usize = 32;

type Group = Vec<Box<dyn Task>>;

/// How far a group came before it failed.
enum Failed {
    /// It did not begin, or nobody knows whether it ended: trying the calls alone would fail in the same way.
    Together(Fault),
    /// Some call failed, or all of them took too much room: they may do better alone.
    Within(Fault),
}

/// Serves until every sender is gone.
pub(super) fn serve(session: &mut Session, inbox: &mut mpsc::Receiver<Box<dyn Task>>) {
    let mut calls_before = 0;
    while let Some(first) = inbox.blocking_recv() {
        let group = gather(first, inbox, calls_before);
        calls_before = group.len();
        commit(session, group);
    }
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

fn commit(session: &mut Session, mut group: Group) {
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
fn transact(session: &mut Session, group: &mut Group) -> Result<(), Failed> {
    let wanted = group.iter().filter(|task| task.is_wanted());
    let Some(need) = wanted.map(|task| task.need()).max() else { return Ok(()) };
    session.begin(need).map_err(|fault| failed(fault, Failed::Together))?;
    let mut done = attempt(session, group, need);
    if need == Need::Read && done.as_ref().is_err_and(Fault::is_missing) {
        // Another process removed a segment while we read it: under the lock nobody does.
        session.end();
        session.begin(Need::Change).map_err(Failed::Together)?;
        done = attempt(session, group, need);
    }
    let is_certain = |fault: &Fault| !fault.is_unknown();
    let done = done.map_err(|fault| {
        session.rollback();
        let how = if is_certain(&fault) { Failed::Within } else { Failed::Together };
        how(fault)
    });
    session.end();
    done
}

fn attempt(session: &mut Session, group: &mut Group, need: Need) -> Result<(), Fault> {
    group.iter_mut().filter(|task| task.is_wanted()).try_for_each(|task| task.run(session))?;
    session.commit(need)
}

/// Without room for new jobs the other calls of the group can still go on.
fn failed(fault: Fault, otherwise: fn(Fault) -> Failed) -> Failed {
    if fault.is_full() { Failed::Within(fault) } else { otherwise(fault) }
}
