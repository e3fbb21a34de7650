use super::session::Session;
use crate::error::Fault;
use queue_core::Error;
use queue_store::group_commit::{Committer, Failed, Pending};

/// A file of SQLite: each group is one transaction.
#[derive(Debug)]
pub(crate) struct Database;

impl Committer for Database {
    type Session<'a> = Session<'a>;
    type Need = ();
    type Failure = rusqlite::Error;
    type Fault = Fault;

    const USUAL_NEED: () = ();

    /// Hints are published between the commit and the answers, so that whoever has an answer finds that others were told.
    fn transact(session: &mut Session<'_>, group: &mut [Pending<Self>]) -> Result<(), Failed<Fault>> {
        session.begin().map_err(Failed::Together)?;
        let ran = group
            .iter_mut()
            .filter(|call| call.is_wanted())
            .try_for_each(|call| call.run(session))
            .and_then(|()| session.flush());
        if let Err(error) = ran {
            session.rollback();
            return Err(Failed::Within(session.fault(error)));
        }
        session.commit().map_err(|fault| {
            session.rollback();
            of_commit(fault)
        })
    }

    fn explain(fault: &Fault, operation: &'static str) -> Error {
        fault.of(operation)
    }
}

/// What was too much for the disk together may fit one by one.
fn of_commit(fault: Fault) -> Failed<Fault> {
    if fault.is_full_disk() { Failed::Within(fault) } else { Failed::Together(fault) }
}

#[cfg(test)]
mod tests {
    use super::{Failed, Fault, of_commit};
    use rusqlite::{Error, ffi};
    use std::path::Path;

    #[test]
    fn calls_that_find_the_disk_full_at_their_commit_are_tried_one_by_one() {
        let fault =
            |code| Fault::new(Path::new("jobs.db"), Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(matches!(of_commit(fault(ffi::SQLITE_FULL)), Failed::Within(_)));
        assert!(matches!(of_commit(fault(ffi::SQLITE_IOERR)), Failed::Together(_)));
    }
}
