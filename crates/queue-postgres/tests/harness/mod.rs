//! How the test kit gets at schemas of their own.
#![allow(dead_code, reason = "each test file uses a part")]

#[path = "../server/mod.rs"]
pub(crate) mod server;

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use server::{TestSchema, new_schema};
use std::{path::PathBuf, sync::Arc};

/// What to change about the options of each handle.
pub(crate) type Adjust = fn(PostgresOptions) -> PostgresOptions;

/// Opens schemas of the test server.
pub(crate) struct PostgresHarness(pub(crate) Adjust);

#[async_trait]
impl Harness for PostgresHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(SchemaPlace { schema: new_schema().await?, adjust: self.0, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle]
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
}
