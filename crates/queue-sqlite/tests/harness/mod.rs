//! How the test kit gets at files of their own.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_sqlite::{SqliteOptions, SqliteStorage, Synchronous};
use queue_testkit::{Facility, Failure, Harness, Place};
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
        &[Facility::Reopen, Facility::SecondHandle]
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
}
