//! Flushes at intervals.

use crate::power::{
    bench::{Progress, options, play, recover},
    disk::{Disk, Failure},
    script::Script,
};
use queue_core::{Pause, QueueName, SeededRng, Storage};
use queue_fs::{Flush, FsStorage};
use std::time::Duration;

/// The clock triggers the flush without a call, and from then on a power cut takes nothing.
#[tokio::test]
async fn what_was_written_is_flushed_a_while_later_without_another_call() {
    let script = Script::new(3, 20).await;
    let disk = Disk::new();
    let flush = Flush::Every(Duration::from_millis(1));
    let store = FsStorage::open(options(&disk, &script, flush)).await.expect("it opens");
    assert!(play(&store, &script, 0).await.error.is_none());
    while !disk.is_flushed() {
        tokio::task::yield_now().await;
    }
    disk.power_on(&SeededRng::new(0));
    let end = Progress { done: script.calls.len(), error: None };
    recover(&disk, &script, &end, "after the flush").await;
}

/// Closing flushes, under every setting.
#[tokio::test]
async fn a_close_flushes_everything() {
    let script = Script::new(4, 20).await;
    for flush in [Flush::Never, Flush::Every(Duration::from_secs(3600))] {
        let disk = Disk::new();
        let store = FsStorage::open(options(&disk, &script, flush)).await.expect("it opens");
        assert!(play(&store, &script, 0).await.error.is_none());
        assert!(!disk.is_flushed(), "there is something to flush");
        store.close().await.expect("it closes");
        disk.power_on(&SeededRng::new(0));
        let end = Progress { done: script.calls.len(), error: None };
        recover(&disk, &script, &end, "after the close").await;
    }
}

async fn write(disk: &Disk, store: &FsStorage) -> u64 {
    store
        .set_paused(&QueueName::from_static("q"), None, Pause::UntilResumed)
        .await
        .expect("nothing goes wrong");
    disk.calls()
}

#[tokio::test]
async fn a_flush_that_failed_to_begin_is_asked_for_again() {
    let script = Script::new(0, 0).await;
    let disk = Disk::new();
    let store = FsStorage::open(options(&disk, &script, Flush::Never)).await.expect("it opens");
    disk.fail_at(u64::MAX, Failure::Error);
    let calls = write(&disk, &store).await;

    let disk = Disk::new();
    let flush = Flush::Every(Duration::from_millis(1));
    let store = FsStorage::open(options(&disk, &script, flush)).await.expect("it opens");
    // The next call is the first of the flush.
    disk.fail_at(calls + 1, Failure::Error);
    write(&disk, &store).await;
    let flushed = async {
        while !(disk.has_failed() && disk.is_flushed()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), flushed).await.expect("nothing asks for the flush again");
}
