//! `verify`: compares the tables with each other.

use crate::{
    call::{CallConnection, SqlVerb},
    verb_error::VerbError,
};
use sqlx::Row;

/// Compares every table with every other.
#[derive(Debug)]
pub(crate) struct PostgresVerify;

impl SqlVerb for PostgresVerify {
    type Answer = Vec<String>;

    const NAME: &'static str = "verify";
    const WRITES: bool = false;
    const TAKES_LONG: bool = true;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Vec<String>, VerbError> {
        let handle = connection.handle;
        let rows = connection.read(&handle.statements.verify, |query| query).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?)
    }
}
