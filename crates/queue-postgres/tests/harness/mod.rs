//! How the test kit makes stores in schemas.
#![allow(dead_code, reason = "each test file uses a part")]

#[path = "../server/mod.rs"]
pub(crate) mod server;

use async_trait::async_trait;
use queue_core::{
    Changed, Clock, Enqueued, JobMeta, NewJob, QueueName, Storage,
    lifecycle::{Event, Policy},
};
use queue_postgres::{
    PostgresOptions, PostgresStorage,
    sqlx::{self, PgConnection},
};
use queue_testkit::{CallersTransaction, Facility, Failure, Harness, Place};
use server::{TestSchema, new_schema};
use std::{path::PathBuf, sync::Arc};

/// A change to the options of each handle.
pub(crate) type Adjust = fn(PostgresOptions) -> PostgresOptions;

/// Opens schemas of the test server.
pub(crate) struct PostgresHarness(pub(crate) Adjust);

#[async_trait]
impl Harness for PostgresHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(SchemaPlace { schema: new_schema()?, adjust: self.0, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims, Facility::Transactions]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot").into())
    }
}

/// One schema, dropped at the end.
#[derive(Debug)]
struct SchemaPlace {
    schema: TestSchema,
    adjust: Adjust,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for SchemaPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = (self.adjust)(self.schema.options()?.connections_max(4).clock(self.clock.clone()));
        Ok(Arc::new(PostgresStorage::open(options).await?))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        self.schema.remove().await
    }

    async fn begin(&self, store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        let mut connection = self.schema.connect().await?;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
        Ok(Box::new(Transaction { store, connection }))
    }
}

/// A transaction of an application.
struct Transaction {
    store: Arc<dyn Storage>,
    connection: PgConnection,
}

/// The store behind the trait.
fn concrete(store: &dyn Storage) -> &PostgresStorage {
    store.concrete().and_then(|store| store.downcast_ref()).expect("it joins transactions")
}

#[async_trait]
impl CallersTransaction for Transaction {
    async fn enqueue(&mut self, queue: &QueueName, jobs: &[NewJob]) -> queue_core::Result<Vec<Enqueued>> {
        Ok(concrete(&*self.store).enqueue_in(&mut self.connection, queue, jobs).await?.value)
    }

    async fn settle(&mut self, job: &JobMeta, event: Event) -> queue_core::Result<Changed> {
        concrete(&*self.store).settle_in(&mut self.connection, job, event, &Policy::default()).await
    }

    async fn commit(mut self: Box<Self>) -> Result<(), Failure> {
        sqlx::raw_sql("COMMIT").execute(&mut self.connection).await?;
        Ok(())
    }

    async fn rollback(mut self: Box<Self>) -> Result<(), Failure> {
        sqlx::raw_sql("ROLLBACK").execute(&mut self.connection).await?;
        Ok(())
    }
}
