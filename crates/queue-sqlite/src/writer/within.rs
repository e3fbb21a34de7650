use super::{commit::Database, session::Session, thread::Shared};
use crate::error::Fault;
use queue_store::group_commit::Verb;
use rusqlite::Connection;

const SAVEPOINT: &str = "SAVEPOINT queue_call";
const RELEASE: &str = "RELEASE queue_call";
const UNDO: &str = "ROLLBACK TO queue_call; RELEASE queue_call";

/// Runs a verb within a transaction of the application, which has the write lock. If it fails, nothing of it is left in the
/// transaction, which the application may go on with.
///
/// Whoever subscribes is not told here: after the commit they see it as that of somebody else.
pub(crate) fn within<V: Verb<Database>>(
    shared: &Shared,
    connection: &Connection,
    verb: &V,
) -> Result<V::Answer, Fault> {
    shared.check_files()?;
    let ran = connection.execute_batch(SAVEPOINT).and_then(|()| {
        let mut session = Session::within(connection, shared);
        let ran = run(&mut session, verb);
        let ended = connection.execute_batch(if ran.is_ok() { RELEASE } else { UNDO });
        // Where SQLite rolled back by itself there is no such savepoint any more, and why is in the first error.
        ran.and_then(|answer| ended.map(|()| (answer, session.moment)))
    });
    let (answer, moment) = ran.map_err(|error| shared.fault(error))?;
    shared.clock.tell(moment);
    Ok(answer)
}

fn run<V: Verb<Database>>(session: &mut Session<'_>, verb: &V) -> rusqlite::Result<V::Answer> {
    session.enter_transaction()?;
    let answer = verb.run(session)?;
    session.flush()?;
    Ok(answer)
}
