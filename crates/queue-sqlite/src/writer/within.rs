//! Running a verb inside a transaction of the application.

use super::{commit::Database, session::SqliteSession, thread::SqliteHandle};
use crate::error::SqliteFault;
use queue_store::group_commit::Verb;
use rusqlite::Connection;

const SAVEPOINT: &str = "SAVEPOINT queue_call";
const RELEASE: &str = "RELEASE queue_call";
const UNDO: &str = "ROLLBACK TO queue_call; RELEASE queue_call";

/// Runs a verb within a transaction of the application, which has the write lock. If it fails,
/// nothing of it is left in the transaction, which the application may go on with.
///
/// Subscribers get no hint here: the watcher sees the application's commit as a foreign one.
pub(crate) fn within<V: Verb<Database>>(
    shared: &SqliteHandle,
    connection: &Connection,
    verb: &V,
) -> Result<V::Answer, SqliteFault> {
    shared.check_files()?;
    let ran = connection.execute_batch(SAVEPOINT).and_then(|()| {
        let mut session = SqliteSession::within(connection, shared);
        let ran = run(&mut session, verb);
        let ended = connection.execute_batch(if ran.is_ok() { RELEASE } else { UNDO });
        // If SQLite rolled back by itself, the savepoint was dropped; the first error has the
        // reason.
        ran.and_then(|answer| ended.map(|()| (answer, session.moment)))
    });
    let (answer, moment) = ran.map_err(|error| shared.fault(error))?;
    shared.clock.tell(moment);
    Ok(answer)
}

fn run<V: Verb<Database>>(session: &mut SqliteSession<'_>, verb: &V) -> rusqlite::Result<V::Answer> {
    session.enter_transaction()?;
    let answer = verb.run(session)?;
    session.flush()?;
    Ok(answer)
}
