//! How the test kit gets at files of their own.

use async_trait::async_trait;
use queue_core::{
    Changed, Clock, Enqueued, JobMeta, NewJob, QueueName, Storage,
    lifecycle::{Event, Policy},
};
use queue_sqlite::{SqliteOptions, SqliteStorage, Synchronous, rusqlite::Connection};
use queue_testkit::{CallersTransaction, Facility, Failure, Harness, Place};
use std::{path::PathBuf, sync::Arc};
use tempfile::TempDir;

/// Opens files with this setting.
pub(crate) struct SqliteHarness(pub(crate) Synchronous);

#[async_trait]
impl Harness for SqliteHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Directory { files: tempfile::tempdir()?, synchronous: self.0, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims, Facility::Transactions]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot").into())
    }
}

/// The directory of one file, and what its store puts beside it.
#[derive(Debug)]
struct Directory {
    files: TempDir,
    synchronous: Synchronous,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for Directory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = SqliteOptions::new(self.files.path().join("jobs.db"));
        let options = options.clock(self.clock.clone()).synchronous(self.synchronous);
        Ok(Arc::new(SqliteStorage::open(options).await?))
    }

    async fn begin(&self, store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        let connection = Connection::open(self.files.path().join("jobs.db"))?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Box::new(Transaction { store, connection }))
    }
}

/// Of an application; nothing else waits for the thread that it blocks.
struct Transaction {
    store: Arc<dyn Storage>,
    connection: Connection,
}

impl Transaction {
    fn store(&self) -> &SqliteStorage {
        self.store.concrete().and_then(|store| store.downcast_ref()).expect("it joins transactions")
    }
}

#[async_trait]
impl CallersTransaction for Transaction {
    async fn enqueue(&mut self, queue: &QueueName, jobs: &[NewJob]) -> queue_core::Result<Vec<Enqueued>> {
        Ok(self.store().enqueue_in(&self.connection, queue, jobs)?.value)
    }

    async fn settle(&mut self, job: &JobMeta, event: Event) -> queue_core::Result<Changed> {
        self.store().settle_in(&self.connection, job, &event, &Policy::default())
    }

    async fn commit(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    async fn rollback(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.connection.execute_batch("ROLLBACK")?)
    }
}
