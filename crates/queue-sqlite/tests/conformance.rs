//! The conformance suite on a file of its own for each case.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_sqlite::{SqliteOptions, SqliteStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{path::PathBuf, process::ExitCode, sync::Arc};
use tempfile::TempDir;

fn main() -> ExitCode {
    queue_testkit::run("sqlite", SqliteHarness)
}

struct SqliteHarness;

#[async_trait]
impl Harness for SqliteHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Directory { directory: tempfile::tempdir()?, clock }))
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
    directory: TempDir,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for Directory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = SqliteOptions::new(self.directory.path().join("jobs.db")).clock(self.clock.clone());
        Ok(Arc::new(SqliteStorage::open(options).await?))
    }
}
