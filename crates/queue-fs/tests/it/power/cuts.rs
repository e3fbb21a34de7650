//! Power cuts.

use crate::power::{
    bench::{Progress, open_and_play, options, play, recover},
    disk::{Disk, Failure},
    script::{Script, view},
    times,
};
use queue_core::{Rng, SeededRng};
use queue_fs::{Flush, FsStorage};

const CALLS: usize = 200;
/// The number of cuts of one script.
const CUTS_PER_SCRIPT: u64 = 50;

/// The number of file system calls of a whole script.
async fn calls_of(script: &Script, flush: Flush) -> u64 {
    let disk = Disk::new();
    let progress = open_and_play(&disk, script, flush, 0).await;
    assert!(progress.error.is_none(), "nothing goes wrong: {:?}", progress.error);
    disk.calls()
}

/// Checks nothing of the error after a cut, since the caller ends with the machine.
fn cut(progress: Progress) -> Progress {
    let error = progress.error.map(queue_core::Error::unknown);
    Progress { error, ..progress }
}

#[tokio::test]
async fn no_power_cut_takes_what_was_acknowledged() {
    let (cuts, mut rounds) = (times("QUEUE_FS_CUTS", 300), 0);
    let mut script = Script::new(0, CALLS).await;
    let mut calls = calls_of(&script, Flush::Always).await;
    for seed in 0..cuts {
        if seed % CUTS_PER_SCRIPT == 0 {
            script = Script::new(seed, CALLS).await;
            calls = calls_of(&script, Flush::Always).await;
        }
        let rng = SeededRng::new(seed);
        let disk = Disk::new();
        let mut done = 0;
        // A machine that has lost its power may lose it again, even while it recovers.
        for boot in 0..3 {
            disk.fail_at(1 + rng.next_u64() % calls, Failure::Power);
            let progress = cut(open_and_play(&disk, &script, Flush::Always, done).await);
            disk.power_on(&rng);
            let context = format!("seed {seed}, boot {boot}");
            let (store, recovered) = recover(&disk, &script, &progress, &context).await;
            drop(store);
            done = recovered;
        }
        let store = FsStorage::open(options(&disk, &script, Flush::Always)).await.expect("it opens");
        assert!(play(&store, &script, done).await.error.is_none(), "seed {seed}: the store goes on");
        rounds += u64::from(disk.went_round());
    }
    assert!(rounds > 0, "a journal that never goes round shows less");
    eprintln!("{cuts} times three power cuts, {rounds} journals went round: nothing acknowledged was lost");
}

#[tokio::test]
async fn without_flushes_a_power_cut_takes_the_newest_calls_and_damages_nothing() {
    let cuts = times("QUEUE_FS_CUTS", 300);
    let (mut lost, mut acknowledged, mut most) = (0, 0, 0);
    let mut script = Script::new(0, CALLS).await;
    let mut calls = calls_of(&script, Flush::Never).await;
    for seed in 0..cuts {
        if seed % CUTS_PER_SCRIPT == 0 {
            script = Script::new(seed, CALLS).await;
            calls = calls_of(&script, Flush::Never).await;
        }
        let rng = SeededRng::new(seed);
        let disk = Disk::new();
        disk.fail_at(1 + rng.next_u64() % calls, Failure::Power);
        let progress = open_and_play(&disk, &script, Flush::Never, 0).await;
        disk.power_on(&rng);
        let opened = FsStorage::open(options(&disk, &script, Flush::Never)).await;
        let store = opened.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let found = view(&store).await;
        let upper = (progress.done + 1).min(script.calls.len());
        // Several states look alike if a call changed nothing: the latest of them counts.
        let is = script.views[..=upper].iter().rposition(|view| *view == found);
        let is =
            is.unwrap_or_else(|| panic!("seed {seed}: the store is as after no beginning of the script"));
        acknowledged += progress.done;
        lost += progress.done.saturating_sub(is);
        most = most.max(progress.done.saturating_sub(is));
    }
    eprintln!(
        "{cuts} power cuts without flushes: {lost} of {acknowledged} acknowledged calls lost, {most} at most"
    );
    assert!(lost > 0, "a disk that loses nothing shows nothing");
}
