//! The conformance suite on the driver in memory.

use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{Clock, ClockBound, Storage};
use queue_kv::{KvDatabase, KvStorage, MemoryKv};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, Weak},
    time::Duration,
};

fn main() -> ExitCode {
    queue_testkit::run("kv-memory", MemoryHarness)
}

struct MemoryHarness;

#[async_trait]
impl Harness for MemoryHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        self.create_bounded(clock, Duration::MAX).await
    }

    async fn create_bounded(
        &self,
        clock: Arc<dyn Clock>,
        step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        let clock_bound = ClockBound::new(step_max);
        Ok(Box::new(InMemory { kv: Arc::default(), open: Mutex::default(), clock, clock_bound }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims, Facility::ClockBound]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance_memory.snapshot").into())
    }
}

/// The map outlives its handles, as a file would; the state that handles share ends with the last
/// of them.
#[derive(Debug)]
struct InMemory {
    kv: Arc<MemoryKv>,
    open: Mutex<Weak<KvDatabase>>,
    clock: Arc<dyn Clock>,
    clock_bound: ClockBound,
}

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let database = {
            let mut open = self.open.lock();
            let database = open.upgrade().unwrap_or_else(|| {
                KvDatabase::bounded(self.kv.clone(), self.clock.clone(), self.clock_bound)
            });
            *open = Arc::downgrade(&database);
            database
        };
        Ok(Arc::new(KvStorage::open(database).await?))
    }
}
