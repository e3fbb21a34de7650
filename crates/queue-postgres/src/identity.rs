//! Which tables a connection leads to: a caller's may lead to another server or database than the store's.

use crate::connect::BEGIN;
use sqlx::{Connection, PgConnection, Row};

const IDENTIFY: &str = include_str!("../sql/identify.sql");
const IDENTIFY_UNPRIVILEGED: &str = include_str!("../sql/identify_unprivileged.sql");

/// The tables of a store, told apart from all others.
#[derive(Debug)]
pub(crate) struct Identity {
    schema: String,
    /// How it was asked for, and is to be asked for again.
    statement: &'static str,
    told: Told,
}

type Told = (i64, i64, Option<i64>);

impl Identity {
    /// Of a connection of the store's own.
    pub(crate) async fn find(connection: &mut PgConnection, schema: &str) -> sqlx::Result<Self> {
        let (mut statement, mut told) = (IDENTIFY, ask_alone(connection, IDENTIFY, schema).await);
        if matches!(told, Err(sqlx::Error::Database(_))) {
            statement = IDENTIFY_UNPRIVILEGED;
            told = ask_alone(connection, statement, schema).await;
        }
        Ok(Self { schema: schema.to_owned(), statement, told: told? })
    }

    /// Whether another connection, perhaps in a transaction, leads to the same tables.
    pub(crate) async fn is_of(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        Ok(ask(connection, self.statement, &self.schema).await? == self.told)
    }
}

/// In a transaction of its own, since a pooler may give the two halves of a statement to two servers otherwise.
async fn ask_alone(
    connection: &mut PgConnection,
    statement: &'static str,
    schema: &str,
) -> sqlx::Result<Told> {
    let mut transaction = connection.begin_with(BEGIN).await?;
    let told = ask(&mut transaction, statement, schema).await;
    transaction.rollback().await?;
    told
}

async fn ask(connection: &mut PgConnection, statement: &'static str, schema: &str) -> sqlx::Result<Told> {
    let row = sqlx::query(statement).bind(schema.to_owned()).persistent(false).fetch_one(connection).await?;
    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
}
