//! The conformance suite through the layer, which must change nothing.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_memory::MemoryStorage;
use queue_telemetry::{Metered, QueueMetrics};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    queue_testkit::run("metered", MeteredHarness)
}

struct MeteredHarness;

#[async_trait]
impl Harness for MeteredHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(MeteredPlace(MemoryStorage::with_clock(clock))))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::SecondHandle]
    }
}

#[derive(Debug)]
struct MeteredPlace(MemoryStorage);

#[async_trait]
impl Place for MeteredPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let metrics = QueueMetrics::new(&opentelemetry::global::meter("suite"));
        Ok(Arc::new(Metered::new(Arc::new(self.0.another_handle()), &metrics)))
    }
}
