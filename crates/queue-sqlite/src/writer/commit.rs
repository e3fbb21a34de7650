//! How a group of calls becomes one transaction of SQLite.

use super::session::SqliteSession;
use crate::error::SqliteFault;
use queue_core::Error;
use queue_store::group_commit::{Committer, GroupFailure, PendingCall};

/// Commits groups of calls to a SQLite file: each group is one transaction.
#[derive(Debug)]
pub(crate) struct Database;

impl Committer for Database {
    type Session<'a> = SqliteSession<'a>;
    type Need = ();
    type Failure = rusqlite::Error;
    type Fault = SqliteFault;

    const USUAL_NEED: () = ();

    /// Hints are published between the commit and the answers, so that the hints come before the
    /// answer.
    fn transact(
        session: &mut SqliteSession<'_>,
        group: &mut [PendingCall<Self>],
    ) -> Result<(), GroupFailure<SqliteFault>> {
        session.begin().map_err(GroupFailure::Together)?;
        let ran = group
            .iter_mut()
            .filter(|call| call.is_wanted())
            .try_for_each(|call| call.run(session))
            .and_then(|()| session.flush());
        // There are no savepoints: calls check before they write, so an error here is a broken file
        // or a full disk. The group then runs again call by call (ADR 0007).
        if let Err(error) = ran {
            session.rollback();
            return Err(GroupFailure::Within(session.fault(error)));
        }
        session.commit().map_err(|fault| {
            session.rollback();
            of_commit(fault)
        })
    }

    fn explain(fault: &SqliteFault, operation: &'static str) -> Error {
        fault.of(operation)
    }
}

/// Whether the calls of a failed group run again one by one: a smaller one may fit a full disk.
fn of_commit(fault: SqliteFault) -> GroupFailure<SqliteFault> {
    if fault.is_full_disk() { GroupFailure::Within(fault) } else { GroupFailure::Together(fault) }
}

#[cfg(test)]
mod tests {
    use super::{GroupFailure, SqliteFault, of_commit};
    use rusqlite::{Error, ffi};
    use std::path::Path;

    #[test]
    fn calls_that_find_the_disk_full_at_their_commit_are_tried_one_by_one() {
        let fault =
            |code| SqliteFault::new(Path::new("jobs.db"), Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(matches!(of_commit(fault(ffi::SQLITE_FULL)), GroupFailure::Within(_)));
        assert!(matches!(of_commit(fault(ffi::SQLITE_IOERR)), GroupFailure::Together(_)));
    }
}
