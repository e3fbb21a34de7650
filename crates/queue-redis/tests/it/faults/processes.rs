//! `SIGKILL` of random processes among those that share one namespace, while they use every verb of
//! the contract (I1, I21).

use super::rounds;
use crate::server::{Fsync, Server};
use queue_core::Storage;
use queue_redis::{RedisOptions, RedisStorage};
use std::sync::Arc;

const THIS: &str = "faults::processes::processes_that_are_killed_lose_nothing";
/// The bytes that all processes together record between two kills.
const BYTES: u64 = 50_000;

async fn open(url: &str) -> Arc<dyn Storage> {
    Arc::new(RedisStorage::open(RedisOptions::new(url).expect("a URL")).await.expect("it opens"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_lose_nothing() {
    let kills = queue_testkit::kills(THIS, open).await.with_bytes_between(BYTES);
    for seed in 0..rounds() as u64 {
        let server = Server::start(Fsync::Never).await;
        kills.round(seed, &server.url()).await;
    }
}
