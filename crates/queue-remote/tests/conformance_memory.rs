//! The conformance suite through a server, over the store in memory.

mod common;

use async_trait::async_trait;
use common::harness::{RemoteHarness, Servers};
use queue_core::{Clock, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::{Failure, Harness, Place};
use std::{process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    let behind = Arc::new(MemoryHarness);
    let harness = RemoteHarness {
        behind,
        servers: Servers::One,
        reopens: false,
        snapshot: "conformance_memory.snapshot",
    };
    queue_testkit::run("remote-memory", harness)
}

struct MemoryHarness;

#[async_trait]
impl Harness for MemoryHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory(MemoryStorage::with_clock(clock))))
    }
}

/// A handle that stays open, so that the data outlive the handles of servers.
#[derive(Debug)]
struct InMemory(MemoryStorage);

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(self.0.another_handle()))
    }
}
