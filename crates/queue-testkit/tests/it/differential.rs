//! Two stores side by side: equal ones agree on every seed, and a store that differs is found and
//! reported.

use async_trait::async_trait;
use queue_core::{Clock, ManualClock, Span, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::{Failure, Harness, Place, differential};
use std::sync::Arc;

/// Stores in memory, on the clock of the suite or on one that stands still.
#[derive(Debug)]
struct Memory {
    own_clock: Option<Arc<ManualClock>>,
}

#[derive(Debug)]
struct InMemory(MemoryStorage);

#[async_trait]
impl Harness for Memory {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let clock = self.own_clock.clone().map_or(clock, |own| own);
        Ok(Box::new(InMemory(MemoryStorage::with_clock(clock))))
    }
}

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(self.0.another_handle()))
    }
}

fn memory() -> Arc<dyn Harness> {
    Arc::new(Memory { own_clock: None })
}

#[tokio::test]
async fn a_store_agrees_with_itself() {
    for seed in 0..20 {
        let compared = differential(memory(), memory(), seed).await;
        assert!(compared.is_ok(), "{compared:?}");
    }
}

#[tokio::test]
async fn a_store_with_a_clock_of_its_own_is_told_from_the_other_by_the_fewest_verbs() {
    let own_clock = Arc::new(ManualClock::default());
    own_clock.advance(Span::from_secs(1).as_duration());
    let other: Arc<dyn Harness> = Arc::new(Memory { own_clock: Some(own_clock) });
    let mut told = None;
    for seed in 0..20 {
        told = told.or(differential(memory(), other.clone(), seed).await.err());
    }
    let told = told.expect("no run is so short that the times never show").to_string();
    assert!(told.starts_with("with seed ") && told.contains("after the verbs ["), "{told}");
    assert!(told.lines().count() < 70, "it was not shrunk: {told}");
}
