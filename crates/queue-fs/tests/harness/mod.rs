//! How the test kit gets at directories of their own.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_fs::{Flush, FsOptions, FsStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{path::PathBuf, sync::Arc};
use tempfile::TempDir;

/// Opens directories with these settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FsHarness {
    pub(crate) flush: Flush,
    /// Small ones make the journal go round many times.
    pub(crate) segment_bytes: u64,
    /// A small one makes jobs stay on the disk.
    pub(crate) memory_budget_bytes: u64,
}

#[async_trait]
impl Harness for FsHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Directory { files: tempfile::tempdir()?, settings: *self, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot").into())
    }
}

/// A directory for one store.
#[derive(Debug)]
struct Directory {
    files: TempDir,
    settings: FsHarness,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for Directory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = FsOptions::new(self.files.path().join("jobs"))
            .clock(self.clock.clone())
            .flush(self.settings.flush)
            .segment_bytes(self.settings.segment_bytes)
            .memory_budget_bytes(self.settings.memory_budget_bytes);
        Ok(Arc::new(FsStorage::open(options).await?))
    }
}
