//! How the test kit makes stores in memory.

use async_trait::async_trait;
use queue_core::{Clock, ClockBound, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{path::PathBuf, sync::Arc, time::Duration};

pub(crate) struct MemoryHarness;

#[async_trait]
impl Harness for MemoryHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory(MemoryStorage::with_clock(clock))))
    }

    async fn create_bounded(
        &self,
        clock: Arc<dyn Clock>,
        step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory(MemoryStorage::bounded(clock, ClockBound::new(step_max)))))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::SecondHandle, Facility::DroppedClaims, Facility::ClockBound]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot").into())
    }
}

/// A handle that stays open, so that the data outlive the handles of the case.
#[derive(Debug)]
struct InMemory(MemoryStorage);

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(self.0.another_handle()))
    }
}
