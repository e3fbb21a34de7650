//! Every call of the file system fails once, in every possible way.

use crate::power::{
    bench::{Progress, assert_state, open_and_play, options, play, recover},
    disk::{Disk, Failure},
    script::Script,
    times,
};
use queue_core::{Certainty, ErrorKind, SeededRng};
use queue_fs::{Flush, FsStorage};

const CALLS: usize = 45;
/// A failure that recurs more often than this is not the injected one.
const FAILURES_MAX: usize = 4;

async fn calls_of(script: &Script) -> u64 {
    let disk = Disk::new();
    assert!(open_and_play(&disk, script, Flush::Always, 0).await.error.is_none());
    disk.calls()
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_has_lost_nothing_acknowledged() {
    let mut points = 0;
    for seed in 0..times("QUEUE_FS_SCRIPTS", 1) {
        let script = Script::new(seed, CALLS).await;
        for k in 1..=calls_of(&script).await {
            let disk = Disk::new();
            disk.fail_at(k, Failure::Death);
            let progress = open_and_play(&disk, &script, Flush::Always, 0).await;
            let died = Progress { error: progress.error.map(queue_core::Error::unknown), ..progress };
            points += u64::from(disk.has_failed());
            disk.restart();
            let context = format!("seed {seed}, death at call {k}");
            let (store, done) = recover(&disk, &script, &died, &context).await;
            drop(store);
            // Records that the dead handle left unflushed, and that others have seen since, are
            // durable now.
            disk.power_on(&SeededRng::new(k));
            let seen = Progress { done, error: None };
            let (store, done) = recover(&disk, &script, &seen, &context).await;
            assert!(play(&store, &script, done).await.error.is_none(), "{context}: the store goes on");
        }
    }
    eprintln!("{points} deaths, one at each call: nothing acknowledged was lost");
}

#[tokio::test]
async fn a_call_that_fails_is_survived_or_told() {
    run_with(Failure::Error).await;
}

#[tokio::test]
async fn a_write_that_finds_no_room_is_survived_or_told() {
    run_with(Failure::NoRoom).await;
}

async fn run_with(failure: Failure) {
    let (mut points, mut told) = (0, 0);
    for seed in 0..times("QUEUE_FS_SCRIPTS", 1) {
        let script = Script::new(seed, CALLS).await;
        for k in 1..=calls_of(&script).await {
            let disk = Disk::new();
            disk.fail_at(k, failure);
            let context = format!("seed {seed}, {failure:?} at call {k}");
            told += play_on(&disk, &script, &context).await;
            points += u64::from(disk.has_failed());
            // What a failed flush made the system forget shows now.
            disk.power_on(&SeededRng::new(k));
            let end = Progress { done: script.calls.len(), error: None };
            recover(&disk, &script, &end, &context).await;
        }
    }
    eprintln!("{points} calls failed, of which {told} failed a call of the store: every answer was right");
}

/// Runs the script to its end, past all errors; returns their number.
async fn play_on(disk: &Disk, script: &Script, context: &str) -> u64 {
    let (mut done, mut told, mut open) = (0, 0, None);
    for _ in 0..FAILURES_MAX {
        let store = match open.take() {
            Some(store) => store,
            None => match FsStorage::open(options(disk, script, Flush::Always)).await {
                Ok(store) => store,
                Err(_) => continue,
            },
        };
        let progress = play(&store, script, done).await;
        let Some(error) = &progress.error else {
            assert_state(&store, script, &progress, context).await;
            return told;
        };
        told += 1;
        if error.certainty() == Certainty::NotApplied && error.kind() != ErrorKind::Closed {
            // The same handle continues.
            done = assert_state(&store, script, &progress, context).await;
            open = Some(store);
        } else {
            let closed = queue_fs_is_closed(&store).await;
            assert!(
                closed,
                "{context}: nobody knows what is on the disk, and the handle goes on all the same"
            );
            drop(store);
            done = recover(disk, script, &progress, context).await.1;
        }
    }
    panic!("{context}: it never gets to the end");
}

async fn queue_fs_is_closed(store: &FsStorage) -> bool {
    use queue_core::Storage;
    let queue = queue_core::QueueName::from_static("q");
    store.counts(&queue).await.is_err_and(|error| error.kind() == ErrorKind::Closed)
}
