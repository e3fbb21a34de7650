//! `SIGKILL` of random processes among those that share one schema: with every verb of the
//! contract, judged by the checker of the test kit (I1, I21), and with handlers and producers whose
//! own writes commit together with their jobs (I18).
//!
//! The tests run themselves as the processes. `QUEUE_TEST_FAULT_ROUNDS=50` runs more of them, with
//! [`KILLS`] kills each.

mod effects;
mod part;

use crate::common::Place;
use crate::storm::rounds;
use queue_core::Storage;
use std::sync::Arc;

const THIS: &str = "kills::processes_that_are_killed_lose_nothing";
const PROCESSES: usize = 4;
/// The number of kills on one schema, which is low so that histories stay short.
const KILLS: usize = 10;
/// The bytes that all processes together record between two kills; at most as many are added at
/// random.
const BYTES: u64 = 50_000;

async fn open(schema: &str) -> Arc<dyn Storage> {
    part::open(schema).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_lose_nothing() {
    let kills = queue_testkit::kills(THIS, open).await;
    let kills = kills.with_processes(PROCESSES).with_kills(KILLS).with_bytes_between(BYTES);
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        kills.round(seed, &place.schema.name).await;
        place.remove().await;
    }
}
