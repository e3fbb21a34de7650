//! The conformance suite on the driver in memory.

use async_trait::async_trait;
use kv_store_example::{KvStorage, MemoryKv};
use queue_core::{Clock, Storage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{path::PathBuf, process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    queue_testkit::run("kv-memory", MemoryHarness)
}

struct MemoryHarness;

#[async_trait]
impl Harness for MemoryHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory { kv: Arc::default(), clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance_memory.snapshot").into())
    }
}

/// The map outlives its handles, as a server would.
#[derive(Debug)]
struct InMemory {
    kv: Arc<MemoryKv>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(KvStorage::new(self.kv.clone(), self.clock.clone())))
    }
}
