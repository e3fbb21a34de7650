//! The conformance suite on a store in memory behind [`Traced`], with a subscriber: the layer
//! changes no answer.

use async_trait::async_trait;
use queue::{Clock, MemoryStorage, Storage, Traced};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{process::ExitCode, sync::Arc};

struct TracedMemory;

#[async_trait]
impl Harness for TracedMemory {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Behind(MemoryStorage::with_clock(clock))))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::SecondHandle, Facility::DroppedClaims]
    }
}

/// A handle that stays open, so that the data outlive the handles of the case.
#[derive(Debug)]
struct Behind(MemoryStorage);

#[async_trait]
impl Place for Behind {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let store: Arc<dyn Storage> = Arc::new(self.0.another_handle());
        Ok(Arc::new(Traced::new(store)))
    }
}

fn main() -> ExitCode {
    tracing::subscriber::set_global_default(tracing_subscriber::registry()).expect("the first one");
    queue_testkit::run("memory, traced", TracedMemory)
}
