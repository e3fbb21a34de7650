//! The floor of the SQLite store: one table of payloads in a file with the same settings of
//! durability.

use crate::{bed::Bed, store::StoreKind};
use async_trait::async_trait;
use rusqlite::{Connection, params};

const TAKE: &str =
    "DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT ?) RETURNING id, payload";
const CLAIM: &str = "UPDATE job SET leased = 1
     WHERE id IN (SELECT id FROM job WHERE leased = 0 ORDER BY id LIMIT ?) RETURNING id, payload";

/// One table of payloads, with the store's own settings of durability.
pub(super) struct SqliteFloor {
    connection: Connection,
}

impl SqliteFloor {
    pub(super) fn create(bed: &Bed) -> anyhow::Result<Self> {
        let connection = Connection::open(bed.beside("floor.db")?)?;
        let synchronous = if bed.kind == StoreKind::SqliteFull { "FULL" } else { "NORMAL" };
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
             CREATE TABLE job (id INTEGER PRIMARY KEY, leased INTEGER NOT NULL DEFAULT 0, payload TEXT NOT NULL);"
        ))?;
        Ok(Self { connection })
    }

    /// Runs a statement of the constants above, and answers the ids of what it read.
    fn read(&mut self, statement: &str, count: usize) -> anyhow::Result<Vec<i64>> {
        let transaction = self.connection.transaction()?;
        let mut prepared = transaction.prepare_cached(statement)?;
        let rows: Result<Vec<(i64, String)>, _> =
            prepared.query_map([i64::try_from(count)?], |row| Ok((row.get(0)?, row.get(1)?)))?.collect();
        let rows = rows?;
        drop(prepared);
        transaction.commit()?;
        Ok(rows.into_iter().map(|(id, _)| id).collect())
    }
}

#[async_trait]
impl super::Floor for SqliteFloor {
    async fn insert(&mut self, payloads: &[String]) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        let mut insert = transaction.prepare_cached("INSERT INTO job (payload) VALUES (?)")?;
        for payload in payloads {
            insert.execute(params![payload])?;
        }
        drop(insert);
        Ok(transaction.commit()?)
    }

    async fn take(&mut self, count: usize) -> anyhow::Result<usize> {
        Ok(self.read(TAKE, count)?.len())
    }

    async fn cycle(&mut self, count: usize) -> anyhow::Result<usize> {
        let claimed = self.read(CLAIM, count)?;
        let transaction = self.connection.transaction()?;
        let mut delete = transaction.prepare_cached("DELETE FROM job WHERE id = ?")?;
        for id in &claimed {
            delete.execute([id])?;
        }
        drop(delete);
        transaction.commit()?;
        Ok(claimed.len())
    }
}
