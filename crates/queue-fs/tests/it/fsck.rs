//! Checking, dumping and repairing from outside.

use crate::common::{self, Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{Detail, ErrorKind, JobId, Pause, State, Storage, StorageExt};
use queue_fs::{CheckReport, Flush, FsStorage, check, dump, repair};
use std::{fs, io::Write, path::PathBuf};

/// The jobs of several segments.
const JOBS: usize = 60;

/// Fills a store with several segments: every third job is completed, one is leased.
async fn fill(place: &Place) {
    let store = FsStorage::open(place.options().segment_bytes(4_000)).await.expect("it works");
    for n in 0..JOBS {
        enqueue(&store, vec![job(&format!("job-{n}"))]).await;
    }
    for held in claim(&store, JOBS / 3).await.jobs {
        settle(&store, &held.record.meta, complete(held.token)).await;
    }
    assert_eq!(claim(&store, 1).await.jobs.len(), 1);
    store.set_paused(&queue(), None, Pause::UntilResumed).await.expect("it works");
    store.close().await.expect("it works");
}

fn segments(place: &Place) -> Vec<PathBuf> {
    let files = fs::read_dir(place.path()).expect("it works").map(|file| file.expect("it works").path());
    let is_segment =
        |path: &PathBuf| path.file_name().expect("it works").to_string_lossy().starts_with("journal-");
    let mut segments: Vec<PathBuf> = files.filter(is_segment).collect();
    segments.sort();
    segments
}

fn flip(path: &PathBuf, at: usize) {
    let mut bytes = fs::read(path).expect("it works");
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("it works");
}

fn dumped(place: &Place) -> String {
    let mut out = Vec::new();
    dump(place.path(), |entry| writeln!(out, "{entry}")).expect("it works");
    String::from_utf8(out).expect("it works")
}

/// Asserts that all jobs are back, and that the store works.
async fn assert_works(place: &Place, jobs: u64) -> FsStorage {
    let store = place.open().await;
    assert_sound(&store).await;
    assert_eq!(store.counts(&queue()).await.expect("it works").total(), jobs);
    enqueue(&store, vec![job("new")]).await;
    store
}

#[tokio::test]
async fn a_sound_store_is_called_sound_and_left_alone() {
    let place = Place::new();
    fill(&place).await;
    let before: Vec<Vec<u8>> = segments(&place).iter().map(|path| fs::read(path).unwrap()).collect();
    let report = check(place.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.jobs, report.torn_bytes, report.records_lost), (JOBS as u64, 0, 0));
    assert_eq!(report.files.len(), before.len());
    assert!(report.files.len() > 2, "{report:?}");
    assert_eq!(repair(place.path()).unwrap(), report);
    let after: Vec<Vec<u8>> = segments(&place).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(before, after);
    assert_works(&place, JOBS as u64).await;
}

#[tokio::test]
async fn a_store_in_use_can_be_checked() {
    let place = Place::new();
    let store = FsStorage::open(place.options().flush(Flush::Never)).await.unwrap();
    enqueue(&store, vec![job("a")]).await;
    assert!(check(place.path()).unwrap().is_sound());
    enqueue(&store, vec![job("b")]).await;
    assert_eq!(check(place.path()).unwrap().jobs, 2);
}

#[tokio::test]
async fn a_torn_end_is_no_damage() {
    let place = Place::new();
    fill(&place).await;
    let last = segments(&place).pop().unwrap();
    let mut bytes = fs::read(&last).unwrap();
    bytes.extend_from_slice(b"qRec half a record");
    fs::write(&last, bytes).unwrap();
    let report = check(place.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.torn_bytes, 18);
    assert!(dumped(&place).contains("18 bytes torn by a crash"));
    assert_works(&place, JOBS as u64).await;
    assert_eq!(check(place.path()).unwrap().torn_bytes, 0);
}

#[tokio::test]
async fn what_a_crash_left_of_making_a_file_is_no_damage() {
    let place = Place::new();
    fill(&place).await;
    let next = place.path().join(format!("journal-{:016x}.log", segments(&place).len() + 1));
    fs::write(&next, b"QUEUE-FS half a head").unwrap();
    let report = check(place.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.torn_bytes, 20);
    assert!(dumped(&place).contains("left by a crash"));
    assert_works(&place, JOBS as u64).await;
    assert!(check(place.path()).unwrap().is_sound());
}

#[tokio::test]
async fn what_a_crash_left_of_making_the_store_is_no_damage() {
    for left in [&b""[..], b"QUEUE-FS half a head"] {
        let place = Place::new();
        place.open().await.close().await.unwrap();
        fs::write(&segments(&place)[0], left).unwrap();
        fs::write(place.path().join("LOCK"), b"").unwrap();
        let report = check(place.path()).unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_works(&place, 0).await;
        assert!(check(place.path()).unwrap().is_sound());
    }
}

#[tokio::test]
async fn an_empty_store_is_sound() {
    let place = Place::new();
    place.open().await.close().await.unwrap();
    let report = check(place.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.jobs, report.torn_bytes), (0, 0));
}

async fn damaged(damage: impl Fn(&[PathBuf])) -> (Place, CheckReport) {
    let place = Place::new();
    fill(&place).await;
    damage(&segments(&place));
    let error = FsStorage::open(place.options()).await.expect_err("it is damaged");
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let report = check(place.path()).expect("it works");
    assert!(!report.is_sound(), "what does not open is not sound");
    (place, report)
}

#[tokio::test]
async fn a_damaged_record_costs_what_was_in_it_and_no_more() {
    let (place, report) = damaged(|segments| flip(&segments[1], 120)).await;
    assert_eq!((report.records_lost, report.jobs), (1, JOBS as u64 - 1));
    assert!(dumped(&place).contains("DAMAGED: the checksum is wrong"));
    let repaired = repair(place.path()).unwrap();
    assert_eq!(repaired.put_aside.len(), report.files.len());
    assert!(check(place.path()).unwrap().is_sound());
    let store = assert_works(&place, JOBS as u64 - 1).await;
    let done = store.get_one(&queue(), &JobId::from_static("job-0"), Detail::Full).await.unwrap().unwrap();
    assert_eq!(done.meta.state, State::Completed);
    assert_eq!(done.result(), Some(&common::text("result")));
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!(counts.of(State::Processing), 1, "a lease lives on");
    assert!(
        store.claim(common::request(1, queue_core::Span::from_secs(30))).await.unwrap().pause.is_on(),
        "a pause too"
    );
}

#[tokio::test]
async fn a_damaged_head_costs_no_record() {
    let (place, report) = damaged(|segments| flip(&segments[1], 20)).await;
    assert_eq!((report.records_lost, report.jobs), (0, JOBS as u64));
    repair(place.path()).unwrap();
    assert_works(&place, JOBS as u64).await;
}

#[tokio::test]
async fn a_missing_file_costs_what_was_in_it() {
    let (place, report) = damaged(|segments| fs::remove_file(&segments[1]).unwrap()).await;
    assert!(report.records_lost > 0 && report.jobs < JOBS as u64, "{report:?}");
    let missing = report.damage.iter().find(|damage| damage.what == "the file is missing").unwrap();
    assert_eq!(missing.file, "journal-0000000000000002.log");
    repair(place.path()).unwrap();
    assert_works(&place, report.jobs).await;
}

#[tokio::test]
async fn the_first_file_is_missed_too() {
    let (place, report) = damaged(|segments| fs::remove_file(&segments[0]).expect("it is there")).await;
    assert_eq!(report.damage[0].file, "journal-0000000000000001.log");
    assert!(report.jobs < JOBS as u64, "{report:?}");
    repair(place.path()).unwrap();
    assert_works(&place, report.jobs).await;
}

#[tokio::test]
async fn a_repair_that_was_interrupted_can_be_run_again() {
    let (place, report) = damaged(|segments| flip(&segments[1], 120)).await;
    repair(place.path()).unwrap();
    // This is the state if the repair had ended after one old file.
    for file in &report.files[1..] {
        let aside = place.path().join(format!("damaged-{}", file.name));
        fs::rename(aside, place.path().join(&file.name)).unwrap();
    }
    assert!(!check(place.path()).unwrap().is_sound());
    repair(place.path()).unwrap();
    assert_works(&place, JOBS as u64 - 1).await;
}

#[tokio::test]
async fn a_dump_says_in_words_what_happened() {
    let place = Place::new();
    fill(&place).await;
    let dump = dumped(&place);
    for said in [
        "journal-0000000000000001.log: ",
        "at 56: record 1, ",
        "put q/\"job-0\" life 1 kind kind queued, revision 1",
        "payload 7 bytes",
        "update q life 1: processing, revision 2",
        "update q life 1: completed, revision 3, result 6 bytes",
        "pause q",
    ] {
        assert!(dump.contains(said), "no {said:?} in\n{dump}");
    }
}

#[test]
fn where_no_store_is_none_is_made() {
    let place = Place::new();
    for path in [place.path(), place.directory.path().to_owned()] {
        assert_eq!(check(&path).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(repair(&path).unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(fs::read_dir(place.directory.path()).unwrap().count(), 0);
}
