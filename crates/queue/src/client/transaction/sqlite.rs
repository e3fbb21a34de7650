//! Transactions of SQLite that the store can join.

use super::{EnqueueIn, Joinable, SettleIn, concrete, only};
use crate::Settled;
use queue_core::{Enqueued as Stored, Result};
use queue_sqlite::{
    SqliteStorage,
    rusqlite::{Connection, Transaction},
};

const DATABASE: &str = "SQLite";

impl Joinable for &Connection {
    type Answer<T> = Result<T>;

    fn enqueue<T: 'static>(
        self,
        asked: Result<EnqueueIn>,
        finish: impl FnOnce(Stored) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let EnqueueIn { storage, queue, job } = asked?;
        let store: &SqliteStorage = concrete(&*storage, "enqueue_in", DATABASE)?;
        finish(only(store.enqueue_in(self, &queue, &[job])?)?)
    }

    fn settle(self, asked: Result<SettleIn>) -> Result<Settled> {
        let SettleIn { storage, job, event, policy } = asked?;
        let store: &SqliteStorage = concrete(&*storage, "complete_in", DATABASE)?;
        Ok(Settled::of(&store.settle_in(self, &job, &event, &policy)?))
    }
}

impl Joinable for &Transaction<'_> {
    type Answer<T> = Result<T>;

    fn enqueue<T: 'static>(
        self,
        asked: Result<EnqueueIn>,
        finish: impl FnOnce(Stored) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        (&**self).enqueue(asked, finish)
    }

    fn settle(self, asked: Result<SettleIn>) -> Result<Settled> {
        (&**self).settle(asked)
    }
}
