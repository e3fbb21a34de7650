//! `kill -9` of random processes among four that share one directory (I1, I21). Power cuts are
//! tested in `power`.
//!
//! `QUEUE_FS_KILLS=500` kills that often.

use queue_core::Storage;
use queue_fs::{FsOptions, FsStorage};
use std::{env, sync::Arc};

/// The number of kills on one directory, which is low so that histories stay short.
const KILLS_PER_PLACE: usize = 10;

/// The segments are so short that the journal is compacted, and there is so little memory that jobs
/// stay on disk.
async fn open(path: &str) -> Arc<dyn Storage> {
    let options = FsOptions::new(path).segment_bytes(16 << 10).reserve_bytes(32 << 10);
    Arc::new(FsStorage::open(options.memory_budget_bytes(1_000)).await.expect("the store opens"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_loses_nothing() {
    let harness = queue_testkit::kills("kill::a_kill_loses_nothing", open).await.with_kills(KILLS_PER_PLACE);
    let kills = env::var("QUEUE_FS_KILLS").map_or(20, |text| text.parse().expect("a number of kills"));
    for seed in 0..kills / KILLS_PER_PLACE as u64 {
        let directory = tempfile::tempdir().expect("a directory");
        let jobs = directory.path().join("jobs");
        harness.round(seed, jobs.to_str().expect("a path of text")).await;
    }
}
