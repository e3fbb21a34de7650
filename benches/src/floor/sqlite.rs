use crate::{
    clock::now,
    store::{Bed, StoreKind},
};
use anyhow::{Context, ensure};
use rusqlite::{Connection, params};
use std::time::Duration;

/// One table of payloads, with the store's own settings of durability.
pub(super) struct Floor {
    connection: Connection,
}

impl Floor {
    pub(super) fn open(bed: &Bed) -> anyhow::Result<Self> {
        let files = bed.files.as_ref().context("this store has files")?;
        let connection = Connection::open(files.path().join("floor.db"))?;
        let synchronous = if bed.kind == StoreKind::SqliteFull { "FULL" } else { "NORMAL" };
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
             CREATE TABLE job (id INTEGER PRIMARY KEY, payload TEXT NOT NULL);"
        ))?;
        Ok(Self { connection })
    }

    pub(super) fn insert(&mut self, payloads: &[String], batch: usize) -> anyhow::Result<Duration> {
        let started = now();
        for batch in payloads.chunks(batch) {
            let transaction = self.connection.transaction()?;
            let mut insert = transaction.prepare_cached("INSERT INTO job (payload) VALUES (?)")?;
            for payload in batch {
                insert.execute(params![payload])?;
            }
            drop(insert);
            transaction.commit()?;
        }
        Ok(started.elapsed())
    }

    /// Removes the oldest, as many at a time, and reads what it removes.
    pub(super) fn take(&mut self, batch: usize, count: usize) -> anyhow::Result<Duration> {
        let started = now();
        let mut taken = 0;
        while taken < count {
            let transaction = self.connection.transaction()?;
            let mut delete = transaction.prepare_cached(
                "DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT ?) RETURNING payload",
            )?;
            let payloads: Result<Vec<String>, _> =
                delete.query_map(params![i64::try_from(batch)?], |row| row.get(0))?.collect();
            let got = payloads?.len();
            ensure!(got > 0, "the table is empty after {taken} of {count}");
            taken += got;
            drop(delete);
            transaction.commit()?;
        }
        Ok(started.elapsed())
    }
}
