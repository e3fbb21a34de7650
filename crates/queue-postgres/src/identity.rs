//! Which tables a connection leads to: a caller's may lead to another server or database than the
//! store's.

use crate::connection::BEGIN;
use sqlx::{Connection, PgConnection, Row};

const IDENTIFY: &str = include_str!("../sql/identify.sql");
const IDENTIFY_UNPRIVILEGED: &str = include_str!("../sql/identify_unprivileged.sql");

/// The tables of a store, named apart from all others.
#[derive(Debug)]
pub(crate) struct Identity {
    schema: String,
    /// The statement that found it, and that finds that of another connection.
    statement: &'static str,
    tables: TablesId,
}

/// The numbers of the server, of the database, and of the table `body` if it is there.
type TablesId = (i64, i64, Option<i64>);

impl Identity {
    /// Finds the identity of the tables by a connection of the store's own.
    pub(crate) async fn find(connection: &mut PgConnection, schema: &str) -> sqlx::Result<Self> {
        let mut statement = IDENTIFY;
        let mut tables = ask_alone(connection, statement, schema).await;
        if matches!(tables, Err(sqlx::Error::Database(_))) {
            statement = IDENTIFY_UNPRIVILEGED;
            tables = ask_alone(connection, statement, schema).await;
        }
        Ok(Self { schema: schema.to_owned(), statement, tables: tables? })
    }

    /// Whether another connection, perhaps in a transaction, leads to the same tables.
    pub(crate) async fn is_of(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        Ok(ask(connection, self.statement, &self.schema).await? == self.tables)
    }
}

/// Asks in a transaction of its own, since a pooler may otherwise give the two halves of a
/// statement to two servers.
async fn ask_alone(
    connection: &mut PgConnection,
    statement: &'static str,
    schema: &str,
) -> sqlx::Result<TablesId> {
    let mut transaction = connection.begin_with(BEGIN).await?;
    let tables = ask(&mut transaction, statement, schema).await;
    transaction.rollback().await?;
    tables
}

async fn ask(connection: &mut PgConnection, statement: &'static str, schema: &str) -> sqlx::Result<TablesId> {
    let row = sqlx::query(statement).bind(schema.to_owned()).persistent(false).fetch_one(connection).await?;
    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
}
