//! A statement that is prepared at its first use.

use rusqlite::{Connection, Params, Row, Rows, Statement, StatementStatus};

/// A statement that is prepared when it is first used, or before: a caller's connection needs a few
/// of them for a moment.
pub(super) struct LazyStatement<'c> {
    connection: &'c Connection,
    sql: &'static str,
    statement: Option<Statement<'c>>,
}

impl<'c> LazyStatement<'c> {
    pub(super) fn new(connection: &'c Connection, sql: &'static str) -> Self {
        Self { connection, sql, statement: None }
    }

    /// The statement, ready to run.
    pub(super) fn get(&mut self) -> rusqlite::Result<&mut Statement<'c>> {
        match &mut self.statement {
            Some(statement) => Ok(statement),
            none => Ok(none.insert(self.connection.prepare(self.sql)?)),
        }
    }

    pub(super) fn execute(&mut self, params: impl Params) -> rusqlite::Result<usize> {
        self.get()?.execute(params)
    }

    pub(super) fn query(&mut self, params: impl Params) -> rusqlite::Result<Rows<'_>> {
        self.get()?.query(params)
    }

    pub(super) fn query_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.get()?.query_row(params, read)
    }

    /// How often it ran since the last look, and how many steps SQLite took for it.
    #[cfg(test)]
    pub(super) fn take_cost(&mut self) -> (i32, i32) {
        let Some(statement) = &self.statement else { return (0, 0) };
        let taken = |status| statement.reset_status(status);
        (taken(StatementStatus::Run), taken(StatementStatus::VmStep))
    }

    /// How often it had to be prepared again.
    pub(super) fn prepared_again(&self) -> i32 {
        self.statement.as_ref().map_or(0, |statement| statement.get_status(StatementStatus::RePrepare))
    }
}
