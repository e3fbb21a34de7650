//! `kill -9` of random processes among four that share one file: everything acknowledged is there
//! afterwards (I1, I21). The page cache survives a kill, so this does not test a power cut.

use queue_core::Storage;
use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::sync::Arc;

const THIS: &str = "crash::nothing_acknowledged_is_missing_after_a_kill";
const ROUNDS: u64 = 2;

async fn open(path: &str) -> Arc<dyn Storage> {
    Arc::new(SqliteStorage::open(SqliteOptions::new(path)).await.expect("it opens"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_missing_after_a_kill() {
    let kills = queue_testkit::kills(THIS, open).await;
    for seed in 0..ROUNDS {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("jobs.db");
        kills.round(seed, path.to_str().expect("a path of text")).await;
    }
}
