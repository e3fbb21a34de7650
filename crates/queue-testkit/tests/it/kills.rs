//! A store that loses data in a kill must not pass.

use queue_core::Storage;
use queue_memory::MemoryStorage;
use std::sync::Arc;

/// Each process has its own store, which dies with it.
async fn open(_place: &str) -> Arc<dyn Storage> {
    Arc::new(MemoryStorage::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic(expected = "violations, first of all")]
async fn a_store_that_forgets_what_it_acknowledged_is_rejected() {
    let kills =
        queue_testkit::kills("kills::a_store_that_forgets_what_it_acknowledged_is_rejected", open).await;
    kills.with_processes(2).with_kills(2).round(7, "nowhere").await;
}
