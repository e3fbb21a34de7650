use super::session::Session;
use crate::error::Fault;
use queue_core::{
    Error,
    group_commit::{Committer, Failed, Pending},
};

/// A directory of jobs: each transaction is one record, written and flushed once.
#[derive(Debug)]
pub(crate) struct Files;

/// What a verb does to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Nothing.
    Read,
    /// It writes, but takes up no more room than the jobs that are there: the reserve is for it.
    Change,
    /// It brings new jobs.
    Grow,
}

impl Committer for Files {
    type Session<'a> = Session;
    type Need = Need;
    type Failure = Fault;
    type Fault = Fault;

    const USUAL_NEED: Need = Need::Change;

    /// Hints are published between the commit and the answers, so that whoever has an answer finds that others were told.
    fn transact(session: &mut Session, group: &mut [Pending<Self>]) -> Result<(), Failed<Fault>> {
        let wanted = group.iter().filter(|call| call.is_wanted());
        let Some(need) = wanted.map(Pending::need).max() else { return Ok(()) };
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

    fn explain(fault: &Fault, operation: &'static str) -> Error {
        fault.of(operation)
    }
}

fn attempt(session: &mut Session, group: &mut [Pending<Files>], need: Need) -> Result<(), Fault> {
    group.iter_mut().filter(|call| call.is_wanted()).try_for_each(|call| call.run(session))?;
    session.commit(need)
}

/// Without room for new jobs the other calls of the group can still go on.
fn failed(fault: Fault, otherwise: fn(Fault) -> Failed<Fault>) -> Failed<Fault> {
    if fault.is_full() { Failed::Within(fault) } else { otherwise(fault) }
}
