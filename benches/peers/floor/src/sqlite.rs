//! The floor of SQLite: one table of payloads in a file, with the settings of our store.

use std::ops::Range;

use anyhow::Result;
use peers_common::{NotOffered, Peer, Producer, Profile, Setup};
use rusqlite::Connection;

use crate::writer::Writer;
use crate::{ENQUEUE, json, require, settings};

/// The log is copied into the database as seldom as by our store.
const CREATE: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE job (id INTEGER PRIMARY KEY, payload BLOB NOT NULL);";
const INSERT: &str = "INSERT INTO job (payload) VALUES (?)";
const COUNT: &str = "SELECT count(*) FROM job";

pub(crate) struct SqliteFloor(Writer<Connection>);

impl Peer for SqliteFloor {
    type Producer = SqliteProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        require(setup, &[ENQUEUE])?;
        let connection = Connection::open(setup.path("floor.db"))?;
        connection.execute_batch(CREATE)?;
        Ok(Self(Writer::new(connection)))
    }

    fn producer(&self) -> SqliteProducer {
        SqliteProducer(self.0.clone())
    }

    async fn start_worker(&self, _: Profile) -> Result<()> {
        Err(NotOffered.into())
    }

    async fn unfinished(&self) -> Result<u64> {
        let count = |connection: &mut Connection| Ok(connection.query_row(COUNT, [], |row| row.get(0))?);
        let count: i64 = self.0.run(count).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        settings(
            profile,
            "an INSERT and its commit a call, callers one after the other; 1,000 in one transaction; WAL, synchronous=FULL",
        )
    }
}

pub(crate) struct SqliteProducer(Writer<Connection>);

impl Producer for SqliteProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        let payload = json(n)?;
        let insert = |connection: &mut Connection| {
            connection.prepare_cached(INSERT)?.execute([&payload])?;
            Ok(())
        };
        self.0.run(insert).await
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        self.0.run(|connection| insert_many(connection, numbers)).await
    }
}

fn insert_many(connection: &mut Connection, numbers: Range<u64>) -> Result<()> {
    let transaction = connection.transaction()?;
    let mut insert = transaction.prepare_cached(INSERT)?;
    for n in numbers {
        insert.execute([json(n)?])?;
    }
    drop(insert);
    Ok(transaction.commit()?)
}
