//! Transactions of Postgres that the store can join.

use super::{EnqueueIn, Joinable, SettleIn, concrete, only};
use crate::Settled;
use futures_util::future::BoxFuture;
use queue_core::{Enqueued as Stored, Error, Result};
use queue_postgres::{
    PostgresStorage,
    sqlx::{Connection, PgConnection, Postgres, Transaction},
};

const DATABASE: &str = "PostgreSQL";

impl<'t> Joinable for &'t mut PgConnection {
    type Answer<T> = BoxFuture<'t, Result<T>>;

    fn enqueue<T: 'static>(
        self,
        asked: Result<EnqueueIn>,
        finish: impl FnOnce(Stored) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T> {
        Box::pin(async move {
            let EnqueueIn { storage, queue, job } = asked?;
            let store: &PostgresStorage = concrete(&*storage, "enqueue_in", DATABASE)?;
            expect_transaction(self, "enqueue_in")?;
            finish(only(store.enqueue_in(self, &queue, &[job]).await?)?)
        })
    }

    fn settle(self, asked: Result<SettleIn>) -> Self::Answer<Settled> {
        Box::pin(async move {
            let SettleIn { storage, job, event, policy } = asked?;
            let store: &PostgresStorage = concrete(&*storage, "complete_in", DATABASE)?;
            expect_transaction(self, "complete_in")?;
            Ok(Settled::of(&store.settle_in(self, &job, event, &policy).await?))
        })
    }
}

impl<'t> Joinable for &'t mut Transaction<'_, Postgres> {
    type Answer<T> = BoxFuture<'t, Result<T>>;

    fn enqueue<T: 'static>(
        self,
        asked: Result<EnqueueIn>,
        finish: impl FnOnce(Stored) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T> {
        (&mut **self).enqueue(asked, finish)
    }

    fn settle(self, asked: Result<SettleIn>) -> Self::Answer<Settled> {
        (&mut **self).settle(asked)
    }
}

/// Refuses a connection outside a transaction, on which each statement would commit by itself.
fn expect_transaction(connection: &PgConnection, operation: &'static str) -> Result<()> {
    if connection.is_in_transaction() {
        return Ok(());
    }
    let message = "the connection has no transaction open that sqlx knows of; begin one with `begin`";
    Err(Error::invalid(operation, message))
}
