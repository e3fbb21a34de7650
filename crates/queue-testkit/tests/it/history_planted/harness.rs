//! Makes stores with one defect for the workloads.

use crate::history_planted::{bug::Bug, store::PlantedStore};
use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::{Facility, Failure, Harness, Place};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

pub(crate) struct PlantedHarness(pub(crate) Option<Bug>);

#[async_trait]
impl Harness for PlantedHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let memory = MemoryStorage::with_clock(clock.clone());
        Ok(Box::new(Planted { memory, clock, bug: self.0, connects: AtomicUsize::new(0) }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen]
    }
}

#[derive(Debug)]
struct Planted {
    memory: MemoryStorage,
    clock: Arc<dyn Clock>,
    bug: Option<Bug>,
    connects: AtomicUsize,
}

#[async_trait]
impl Place for Planted {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let reopened = self.connects.fetch_add(1, Ordering::SeqCst) > 0;
        let forgets = reopened && self.bug == Some(Bug::ForgetsOnReopen);
        let memory = if forgets {
            MemoryStorage::with_clock(self.clock.clone())
        } else {
            self.memory.another_handle()
        };
        Ok(Arc::new(PlantedStore::new(memory, self.bug)))
    }
}
