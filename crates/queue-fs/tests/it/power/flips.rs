//! Damage: flipped bits, and truncated files.

use crate::power::{
    bench::{open_and_play, options, play},
    damage::{Kind, damage},
    disk::Disk,
    script::{Script, view},
    times,
};
use queue_core::{ErrorKind, ListQuery, QueueName, SeededRng, Storage, StorageExt};
use queue_fs::{Flush, FsStorage};

const CALLS: usize = 40;

const KINDS: [Kind; 3] = [Kind::Flip, Kind::Flip, Kind::Cut];

/// The outcome of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The damage was reported.
    Detected,
    /// The state is as before.
    Harmless,
    /// The last record looked torn, since nothing said that it was once whole.
    Cut,
}

async fn outcome(disk: &Disk, script: &Script, context: &str) -> Outcome {
    match FsStorage::open(options(disk, script, Flush::Always)).await {
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Corrupt), "{context}: {error}");
            Outcome::Detected
        }
        Ok(store) => {
            let found = view(&store).await;
            assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new(), "{context}");
            let last = script.views.last().expect("there is one");
            if found == *last {
                return Outcome::Harmless;
            }
            let before = script.views.iter().rfind(|view| *view != last).expect("something changed");
            assert!(found == *before, "{context}: silently wrong");
            Outcome::Cut
        }
    }
}

#[tokio::test]
async fn damage_is_detected_or_harmless() {
    let flips = times("QUEUE_FS_FLIPS", 400);
    let script = Script::new(7, CALLS).await;
    let good = Disk::new();
    assert!(open_and_play(&good, &script, Flush::Always, 0).await.error.is_none());
    let (mut detected, mut harmless) = (0, 0);
    for seed in 0..flips {
        let disk = good.copy();
        let context = format!("seed {seed}: {}", damage(&disk, &KINDS, &SeededRng::new(seed)));
        match outcome(&disk, &script, &context).await {
            Outcome::Detected => detected += 1,
            Outcome::Harmless => harmless += 1,
            Outcome::Cut => panic!("{context}: the mark says that the last record was durable"),
        }
    }
    eprintln!("{flips} times damage: {detected} detected, {harmless} harmless");
    assert!(detected > 0 && harmless > 0, "{detected} detected, {harmless} harmless");
}

/// After a power cut that took the mark, a flip in the last record looks like a torn end, and so
/// does a truncation.
#[tokio::test]
async fn without_the_mark_damage_is_detected_or_costs_the_last_record() {
    let flips = times("QUEUE_FS_FLIPS", 400);
    let script = Script::new(7, CALLS).await;
    let good = Disk::new();
    // The last segment has many records, so that later ones vouch for earlier ones.
    let long = options(&good, &script, Flush::Always).segment_bytes(20_000);
    let store = FsStorage::open(long).await.expect("it opens");
    assert!(play(&store, &script, 0).await.error.is_none());
    drop(store);
    good.tamper("LOCK", Vec::clear);
    let (mut detected, mut harmless, mut cut) = (0, 0, 0);
    for seed in 0..flips {
        let disk = good.copy();
        let context = format!("seed {seed}: {}", damage(&disk, &[Kind::Flip], &SeededRng::new(seed)));
        match outcome(&disk, &script, &context).await {
            Outcome::Detected => detected += 1,
            Outcome::Harmless => harmless += 1,
            Outcome::Cut => cut += 1,
        }
    }
    eprintln!(
        "{flips} times damage without the mark: {detected} detected, {harmless} harmless, {cut} last records cut"
    );
    assert!(detected > cut, "{detected} detected, {cut} cut");
}

#[tokio::test]
async fn damage_under_an_open_store_is_detected_or_harmless() {
    let flips = times("QUEUE_FS_FLIPS", 400) / 4;
    let script = Script::new(7, CALLS).await;
    let good = Disk::new();
    assert!(open_and_play(&good, &script, Flush::Always, 0).await.error.is_none());
    let (mut detected, mut harmless) = (0, 0);
    for seed in 0..flips {
        let disk = good.copy();
        let store = FsStorage::open(options(&disk, &script, Flush::Always)).await.expect("it opens");
        let before = read(&store).await.expect("nothing is damaged yet");
        let context = format!("seed {seed}: {}", damage(&disk, &KINDS, &SeededRng::new(seed)));
        match read(&store).await {
            Ok(after) => {
                assert!(after == before, "{context}: silently wrong");
                harmless += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{context}: {error}");
                detected += 1;
            }
        }
    }
    eprintln!("{flips} times damage under an open store: {detected} detected, {harmless} harmless");
    assert!(detected > 0 && harmless > 0, "{detected} detected, {harmless} harmless");
}

async fn read(store: &FsStorage) -> queue_core::Result<Vec<queue_core::JobRecord>> {
    let mut records = Vec::new();
    let queue = QueueName::from_static("q");
    for meta in store.list(ListQuery::all(queue.clone(), 1_000)).await?.jobs {
        records.extend(store.get_one(&queue, &meta.id, queue_core::Detail::Full).await?);
    }
    Ok(records)
}
