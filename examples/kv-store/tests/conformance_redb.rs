//! The conformance suite on the embedded database, one file per trial.

use async_trait::async_trait;
use kv_store_example::RedbKv;
use parking_lot::Mutex;
use queue_core::{Clock, Storage};
use queue_kv::{KvDatabase, KvStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, Weak},
};
use tempfile::TempDir;

fn main() -> ExitCode {
    queue_testkit::run("kv-redb", RedbHarness)
}

struct RedbHarness;

#[async_trait]
impl Harness for RedbHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(OneFile { directory: tempfile::tempdir()?, open: Mutex::default(), clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance_redb.snapshot").into())
    }
}

/// Handles share the database while any of them is open; the next one after that opens the file
/// anew.
#[derive(Debug)]
struct OneFile {
    directory: TempDir,
    open: Mutex<Weak<KvDatabase>>,
    clock: Arc<dyn Clock>,
}

impl OneFile {
    fn database(&self) -> Result<Arc<KvDatabase>, Failure> {
        let mut open = self.open.lock();
        if let Some(database) = open.upgrade() {
            return Ok(database);
        }
        let kv = RedbKv::open(self.directory.path().join("queue.redb"))?;
        let database = KvDatabase::new(kv, self.clock.clone());
        *open = Arc::downgrade(&database);
        Ok(database)
    }
}

#[async_trait]
impl Place for OneFile {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(KvStorage::open(self.database()?).await?))
    }
}
