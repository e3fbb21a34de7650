//! Checking and repairing damaged directories, beside a program that has the store open, and with
//! failures on the way.

use crate::power::{
    bench::{open_and_play, options, play},
    damage::{ALL, Kind, LOSSLESS, damage, segments},
    disk::{Disk, Failure},
    script::{Script, View, view},
    times,
};
use queue_core::{ErrorKind, Pause, QueueName, Rng, SeededRng, Storage};
use queue_fs::{CheckReport, Create, Flush, FsStorage, check_in, repair_in};
use std::sync::Arc;

const CALLS: usize = 40;
/// The most damages of one directory.
const DAMAGES_MAX: u64 = 3;

/// A directory in which the script ran to its end.
async fn good(script: &Script) -> Disk {
    let disk = Disk::new();
    assert!(open_and_play(&disk, script, Flush::Always, 0).await.error.is_none());
    disk
}

/// A directory with few long segments, whose damaged end may look torn by a power cut once the mark
/// is lost.
async fn good_and_long(script: &Script) -> Disk {
    let disk = Disk::new();
    let long = options(&disk, script, Flush::Always).segment_bytes(20_000);
    let store = FsStorage::open(long).await.expect("it opens");
    assert!(play(&store, script, 0).await.error.is_none());
    disk
}

async fn open(disk: &Disk, script: &Script) -> queue_core::Result<FsStorage> {
    FsStorage::open(options(disk, script, Flush::Always).create(Create::Never)).await
}

fn check(disk: &Disk) -> queue_core::Result<CheckReport> {
    check_in(Arc::new(disk.clone()))
}

fn repair(disk: &Disk) -> queue_core::Result<CheckReport> {
    repair_in(Arc::new(disk.clone()))
}

fn contents(disk: &Disk) -> Vec<(String, Vec<u8>)> {
    disk.listing().into_iter().map(|(name, _)| (name.clone(), disk.content(&name))).collect()
}

/// The contents of a store that opens and passes its cross-check.
async fn sound_view(disk: &Disk, script: &Script, context: &str) -> View {
    let store = open(disk, script).await.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new(), "{context}");
    let view = view(&store).await;
    store.close().await.expect("it closes");
    assert!(check(disk).expect("it checks").is_sound(), "{context}");
    view
}

/// Asserts that a handle which lost the store says so, and does nothing.
async fn assert_shut_out(store: &FsStorage, context: &str) {
    let queue = QueueName::from_static("q");
    let errors = [
        store.set_paused(&queue, None, Pause::UntilResumed).await.err(),
        store.counts(&queue).await.err(),
        store.workers().await.err(),
    ];
    for error in errors {
        let error = error.unwrap_or_else(|| panic!("{context}: it goes on with a store that was repaired"));
        assert_eq!(error.kind(), ErrorKind::Closed, "{context}: {error}");
        assert!(error.message().contains("repaired"), "{context}: {error}");
    }
}

#[tokio::test]
async fn sound_is_what_opens_and_what_was_repaired_opens_and_is_taken_from_who_had_it() {
    let times = times("QUEUE_FS_FLIPS", 400);
    let script = Script::new(7, CALLS).await;
    let good = [good(&script).await, good_and_long(&script).await];
    let (mut sound, mut repaired) = (0, 0);
    for seed in 0..times {
        let rng = SeededRng::new(seed);
        let is_long = seed % 2 == 1;
        let disk = good[usize::from(is_long)].copy();
        let had_it = open(&disk, &script).await.expect("nothing is damaged yet");
        if is_long {
            disk.tamper("LOCK", Vec::clear);
        }
        let done: Vec<_> = (0..=rng.next_u64() % DAMAGES_MAX).map(|_| damage(&disk, &ALL, &rng)).collect();
        let context = format!("seed {seed}: {done:?}");
        let before = contents(&disk);
        let report = check(&disk).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert!(contents(&disk) == before, "{context}: a check changes nothing");
        let opened = open(&disk.copy(), &script).await;
        let error = opened.as_ref().err().map(ToString::to_string);
        assert_eq!(report.is_sound(), opened.is_ok(), "{context}: {error:?}\n{report:?}");
        let outcome = repair(&disk).unwrap_or_else(|error| panic!("{context}: {error}"));
        if report.is_sound() {
            assert!(contents(&disk) == before, "{context}: what is sound is left alone");
            sound += 1;
        } else {
            assert!(!outcome.put_aside.is_empty(), "{context}");
            assert_shut_out(&had_it, &context).await;
            repaired += 1;
        }
        sound_view(&disk, &script, &context).await;
    }
    eprintln!("{times} damaged directories: {sound} open, {repaired} were repaired");
    assert!(sound > times / 20 && repaired > times / 20, "{sound} open, {repaired} were repaired");
}

#[tokio::test]
async fn files_under_other_names_are_repaired_without_bringing_back_what_was_over() {
    let script = Script::new(7, CALLS).await;
    let good = good(&script).await;
    let mut repaired = 0;
    for seed in 0..times("QUEUE_FS_FLIPS", 400) / 4 {
        let rng = SeededRng::new(seed);
        let disk = good.copy();
        let done: Vec<_> =
            (0..=rng.next_u64() % DAMAGES_MAX).map(|_| damage(&disk, &LOSSLESS, &rng)).collect();
        let context = format!("seed {seed}: {done:?}");
        repaired += u64::from(!repair(&disk).expect("it repairs").put_aside.is_empty());
        let found = sound_view(&disk, &script, &context).await;
        assert!(found == *script.views.last().expect("there is one"), "{context}: it is another store");
    }
    assert!(repaired > 0, "nothing was to be repaired");
}

/// A store whose second segment has a damaged record, and the result of its repair.
async fn to_be_repaired(script: &Script) -> (Disk, View) {
    let disk = good(script).await;
    let name = &segments(&disk)[1];
    disk.tamper(name, |bytes| bytes[100] ^= 1);
    let repaired = disk.copy();
    assert!(!repair(&repaired).expect("it repairs").put_aside.is_empty());
    let expected = sound_view(&repaired, script, "without a failure").await;
    (disk, expected)
}

#[tokio::test]
async fn a_repair_that_ends_anywhere_can_be_run_again() {
    let script = Script::new(7, CALLS).await;
    let (damaged, expected) = to_be_repaired(&script).await;
    let calls = {
        let disk = damaged.copy();
        repair(&disk).expect("it repairs");
        disk.calls()
    };
    assert!(calls > 20, "there is something to fail");
    for failure in [Failure::Power, Failure::Death, Failure::Error, Failure::NoRoom] {
        for call in 1..=calls {
            let context = format!("{failure:?} at call {call}");
            let disk = damaged.copy();
            disk.fail_at(call, failure);
            let outcome = repair(&disk);
            if failure == Failure::Power {
                disk.power_on(&SeededRng::new(call));
            } else {
                disk.restart();
            }
            if outcome.is_err() {
                repair(&disk).unwrap_or_else(|error| panic!("{context}: {error}"));
            }
            let found = sound_view(&disk, &script, &context).await;
            assert!(found == expected, "{context}: another store than without the failure");
        }
    }
}

#[tokio::test]
async fn a_file_put_back_by_hand_after_a_repair_brings_nothing_back() {
    let script = Script::new(7, CALLS).await;
    let (repaired, expected) = to_be_repaired(&script).await;
    let aside = repair(&repaired).expect("it repairs").put_aside;
    assert!(aside.len() > 2, "{aside:?}");
    for file in aside {
        let disk = repaired.copy();
        disk.rename_by_hand(&file, file.trim_start_matches("damaged-"));
        repair(&disk).expect("it repairs");
        assert!(sound_view(&disk, &script, &file).await == expected, "{file}: it is another store");
    }
}

/// The end of the journal is missing, which only the mark shows.
#[tokio::test]
async fn a_repair_that_dies_before_it_is_done_leaves_the_damage_known() {
    let script = Script::new(7, CALLS).await;
    let damaged = good(&script).await;
    let names = segments(&damaged);
    damaged.tamper(names.last().expect("there is one"), |bytes| bytes.truncate(bytes.len() - 1));
    let done = damaged.copy();
    repair(&done).expect("it repairs");
    let mut known = 0;
    for call in 1..=done.calls() {
        let disk = damaged.copy();
        disk.fail_at(call, Failure::Death);
        repair(&disk).expect_err("it dies");
        disk.restart();
        if segments(&disk) == names {
            assert!(!check(&disk).expect("it checks").is_sound(), "death at call {call}");
            known += 1;
        }
    }
    assert!(known > 20, "there is something to die at");
}

/// A kind of damage that the generator never makes would show nothing.
#[tokio::test]
async fn every_kind_of_damage_is_done() {
    let script = Script::new(7, CALLS).await;
    let good = good(&script).await;
    for kind in ALL {
        let is_done = |seed| {
            let disk = good.copy();
            damage(&disk, &[kind], &SeededRng::new(seed));
            contents(&disk) != contents(&good)
        };
        assert!((0..20).any(is_done), "{kind:?}");
    }
    assert!(LOSSLESS.contains(&Kind::Swap));
}
