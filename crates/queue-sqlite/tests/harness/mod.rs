//! How the test kit makes stores in files.

use async_trait::async_trait;
use queue_core::{
    Changed, Clock, Enqueued, JobMeta, NewJob, QueueName, Storage,
    lifecycle::{Event, Policy},
};
use queue_sqlite::{SqliteOptions, SqliteStorage, Synchronous, rusqlite::Connection};
use queue_testkit::{CallersTransaction, EmbeddedHarness, Facility, Failure};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Opens files with this setting.
pub(crate) fn harness(synchronous: Synchronous) -> EmbeddedHarness {
    EmbeddedHarness::new(move |path, clock| open(synchronous, path, clock, Duration::MAX))
        .with_clock_bound(move |path, clock, step_max| open(synchronous, path, clock, step_max))
        .with_transactions(begin)
        .with_facilities([Facility::DroppedClaims])
        .with_snapshot(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot"))
}

async fn open(
    synchronous: Synchronous,
    path: PathBuf,
    clock: Arc<dyn Clock>,
    step_max: Duration,
) -> Result<Arc<dyn Storage>, Failure> {
    let options = SqliteOptions::new(path).clock(clock).clock_step_max(step_max).synchronous(synchronous);
    Ok(Arc::new(SqliteStorage::open(options).await?))
}

async fn begin(path: PathBuf, store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
    let connection = Connection::open(path)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    Ok(Box::new(Transaction { store, connection }))
}

/// A transaction of an application; no other task waits for the thread that it blocks.
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
