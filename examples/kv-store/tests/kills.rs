//! `kill -9` of the process that has the database of the example open, one after the other: all
//! that was acknowledged is there when the next one opens the file (I1, I21).

use kv_store_example::RedbKv;
use queue_core::{Storage, SystemClock};
use queue_kv::{KvDatabase, KvStorage};
use std::sync::Arc;

async fn open(path: &str) -> Arc<dyn Storage> {
    let kv = RedbKv::open(path).expect("the database opens");
    let database = KvDatabase::new(kv, Arc::new(SystemClock));
    Arc::new(KvStorage::open(database).await.expect("its threads start"))
}

/// A database of `redb` belongs to one process at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_loses_nothing() {
    let kills = queue_testkit::kills("a_kill_loses_nothing", open).await.with_processes(1);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("queue.redb");
    kills.round(7, path.to_str().expect("a path of text")).await;
}
