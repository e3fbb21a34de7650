//! Flushes by the clock.

use crate::{
    bench::{Progress, options, play, recover},
    disk::Disk,
    script::Script,
};
use queue_core::SeededRng;
use queue_fs::{Flush, FsStorage};
use std::time::Duration;

/// The clock flushes while nobody calls, and from then on a power cut takes nothing.
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

/// Closing flushes, whatever was promised.
#[tokio::test]
async fn a_close_flushes_everything() {
    use queue_core::Storage;
    let script = Script::new(4, 20).await;
    for flush in [Flush::Never, Flush::Every(Duration::from_hours(1))] {
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
