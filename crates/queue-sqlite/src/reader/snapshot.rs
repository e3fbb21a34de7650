//! One read transaction.

use crate::{sql, writer::SqliteHandle};
use queue_core::{Moment, QueueName, Result};
use rusqlite::{Connection, OptionalExtension};

/// One consistent state of the store, and the time at which it is read.
pub(crate) struct Snapshot<'c> {
    pub(super) connection: &'c Connection,
    pub(super) moment: Moment,
}

impl<'c> Snapshot<'c> {
    /// Reads within one transaction, which ends with the call.
    pub(super) fn with<T>(
        connection: &'c Connection,
        shared: &SqliteHandle,
        operation: &'static str,
        read: impl FnOnce(&Self) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let run = || {
            let transaction = connection.unchecked_transaction()?;
            let mark = connection.prepare_cached(sql::LOAD_STORE)?.query_row([], |row| row.get(1))?;
            let moment = shared.clock.moment(mark)?;
            let answer = read(&Snapshot { connection, moment })?;
            transaction.finish()?;
            shared.clock.tell(moment);
            Ok(answer)
        };
        let answer = run().map_err(|error| shared.fault(error).of(operation));
        // A file that was removed answers the same for ever.
        shared.check_files().map_err(|fault| fault.of(operation))?;
        answer
    }

    /// The number of a queue, if it has one.
    pub(super) fn find_queue(&self, name: &QueueName) -> rusqlite::Result<Option<i64>> {
        let mut find = self.connection.prepare_cached(sql::FIND_QUEUE)?;
        find.query_row([name.as_str()], |row| row.get(0)).optional()
    }
}
