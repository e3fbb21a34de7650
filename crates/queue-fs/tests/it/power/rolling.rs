//! A journal under steady load takes bounded room, for all jobs that stay in it.

use crate::power::disk::Disk;
use queue_core::{
    ClaimRequest, ContentType, Detail, Failure, JobId, Kind, Limit, LimitScope, ManualClock, NewJob,
    Partition, Pause, Payload, QueueName, Retention, SeededRng, Span, Storage, StorageExt, Timestamp,
    WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use queue_fs::{FsOptions, FsStorage};
use std::{sync::Arc, time::Duration};

const SEGMENT_BYTES: u64 = 16 << 10;
const RESERVE_BYTES: u64 = 1 << 10;
const STAYING: usize = 40;
const PAYLOAD_BYTES: usize = 700;

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn options(disk: &Disk) -> FsOptions {
    let options = FsOptions::new("simulated").fs(Arc::new(disk.clone())).rng(Arc::new(SeededRng::new(1)));
    options.segment_bytes(SEGMENT_BYTES).reserve_bytes(RESERVE_BYTES).memory_budget_bytes(10_000)
}

async fn open(disk: &Disk) -> FsStorage {
    FsStorage::open(options(disk)).await.expect("it opens")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new(id.repeat(PAYLOAD_BYTES / id.len()), ContentType::from_static("x/y"));
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("kind"), payload)
        .with_retention(Retention::Remove)
}

/// Takes one job through its whole life.
async fn pass(store: &FsStorage, n: u64) {
    store.enqueue(&queue(), vec![vec![job(&format!("passing-{n}"))]]).await.expect("it enqueues");
    let (worker, rng) = (WorkerId::from_static("w"), SeededRng::new(n));
    let request = ClaimRequest::new(queue(), worker, 1, Span::from_secs(30), &rng);
    let held = store.claim(request).await.expect("it claims").jobs.remove(0);
    let result = Payload::new("", ContentType::from_static("x/y"));
    let event = Event::Complete { token: held.token, result, retention: None, then: vec![] };
    store.settle(&held.record.meta, event, &Policy::default()).await.expect("it settles");
}

#[tokio::test]
async fn room_is_bounded_by_what_is_in_the_store() {
    let disk = Disk::new();
    let mut store = open(&disk).await;
    let staying: Vec<String> = (0..STAYING).map(|n| format!("staying-{n}")).collect();
    let jobs = staying.iter().map(|id| job(id).with_delay(Span::from_secs(3_600))).collect();
    store.enqueue(&queue(), vec![jobs]).await.expect("it enqueues");
    let other = QueueName::from_static("paused");
    store.set_paused(&other, None, Pause::UntilResumed).await.expect("it pauses");
    let limits = [(LimitScope::EachPartition, 3), (LimitScope::Partition(Partition::from_static("a")), 7)]
        .map(|(scope, running)| (scope, Limit { running: Some(running), weight: 2 }));
    let set = limits.iter().map(|(scope, limit)| (scope.clone(), Some(*limit))).collect();
    store.set_limits(&other, set).await.expect("it sets limits");
    let live = (STAYING * (PAYLOAD_BYTES + 250)) as u64;
    let bound = 2 * (live + SEGMENT_BYTES) + 2 * SEGMENT_BYTES + RESERVE_BYTES;
    for n in 0..1_500 {
        pass(&store, n).await;
        let used = disk.used_bytes();
        assert!(
            used <= bound,
            "after {n} jobs {used} bytes are in use, more than {bound}: {:?}",
            disk.listing()
        );
        if n % 500 == 499 {
            drop(store);
            store = open(&disk).await;
        }
    }
    assert!(disk.listing()[2].0.as_str() > "journal-0000000000000020", "it went round: {:?}", disk.listing());
    for id in &staying {
        let id = JobId::new(id).expect("a valid id");
        let record =
            store.get_one(&queue(), &id, Detail::Full).await.expect("it reads").expect("it is there");
        assert_eq!(record.body.expect("asked for").payload, job(id.as_str()).payload);
    }
    assert_eq!(store.limits(&other).await.expect("it answers"), limits);
    let (worker, rng) = (WorkerId::from_static("w"), SeededRng::new(0));
    let request = ClaimRequest::new(other, worker, 1, Span::from_secs(30), &rng);
    assert!(store.claim(request).await.expect("it answers").pause.is_on());
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

/// Stores jobs that stay, most of them on disk alone.
async fn fill(store: &FsStorage) {
    let jobs = (0..STAYING).map(|n| job(&format!("staying-{n}")).with_delay(Span::from_secs(3_600)));
    store.enqueue(&queue(), vec![jobs.collect()]).await.expect("it enqueues");
}

/// Writes records that leave nothing behind, about three segments of them.
async fn churn(store: &FsStorage) {
    let other = QueueName::from_static("churned");
    for n in 0..800 {
        let pause = if n % 2 == 0 { Pause::UntilResumed } else { Pause::Off };
        store.set_paused(&other, None, pause).await.expect("it pauses");
    }
}

fn oldest(disk: &Disk) -> String {
    let first = disk.listing().into_iter().find(|(name, _)| name.starts_with("journal-"));
    first.expect("there is a segment").0
}

#[tokio::test]
async fn segments_are_given_up_again_once_they_can_be_read_again() {
    let disk = Disk::new();
    let store = open(&disk).await;
    fill(&store).await;
    disk.fail_reads(true);
    churn(&store).await;
    churn(&store).await;
    assert!(!disk.went_round(), "nothing can be carried on: {:?}", disk.listing());
    disk.fail_reads(false);
    churn(&store).await;
    assert!(disk.went_round(), "the journal only grows: {:?}", disk.listing());
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

#[tokio::test]
async fn a_handle_that_only_reads_keeps_no_room_from_being_given_back() {
    let disk = Disk::new();
    let store = open(&disk).await;
    let reader = open(&disk).await;
    fill(&store).await;
    for _ in 0..10 {
        churn(&store).await;
        reader.counts(&queue()).await.expect("it counts");
    }
    assert!(disk.went_round());
    let named: usize = disk.listing().iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(disk.used_bytes(), named as u64, "removed segments are still open");
}

#[tokio::test]
async fn a_time_that_was_told_holds_for_a_handle_that_reads_everything_again() {
    let disk = Disk::new();
    let clock = Arc::new(ManualClock::default());
    let teller = FsStorage::open(options(&disk).clock(clock.clone())).await.expect("it opens");
    let behind = Arc::new(ManualClock::default());
    let store = FsStorage::open(options(&disk).clock(behind)).await.expect("it opens");
    clock.advance(Duration::from_secs(60));
    let told = teller.counts(&queue()).await.expect("it counts").now;
    while oldest(&disk).as_str() < "journal-0000000000000003" {
        churn(&store).await;
    }
    clock.set(Timestamp::from_millis(0));
    assert_eq!(teller.counts(&queue()).await.expect("it counts").now, told);
}

/// Stores jobs that failed, with the largest error details.
async fn fill_with_failures(store: &FsStorage) {
    fill(store).await;
    let (worker, rng) = (WorkerId::from_static("w"), SeededRng::new(0));
    let jobs = (0..STAYING).map(|n| job(&format!("failing-{n}")));
    store.enqueue(&queue(), vec![jobs.collect()]).await.expect("it enqueues");
    let request = ClaimRequest::new(queue(), worker, STAYING, Span::from_secs(30), &rng);
    for held in store.claim(request).await.expect("it claims").jobs {
        let failure = Failure::new("Io", "broken").with_details("x".repeat(16 << 10).into());
        let (token, cause) = (held.token, Cause::Terminal);
        let retention = Some(Retention::default());
        let event = Event::Fail { token, failure, cause, delay: None, retention, then: Vec::new() };
        store.settle(&held.record.meta, event, &Policy::default()).await.expect("it settles");
    }
}

#[tokio::test]
async fn what_errors_say_is_counted_so_that_it_is_not_carried_on_for_ever() {
    let disk = Disk::new();
    let store = open(&disk).await;
    fill_with_failures(&store).await;
    churn(&store).await;
    let before = oldest(&disk);
    let usage = store.usage().await.expect("it measures");
    assert!(usage.live_bytes > (STAYING * (16 << 10)) as u64, "{usage:?}");
    churn(&store).await;
    assert_eq!(oldest(&disk), before, "there is nothing to give up: {:?}", disk.listing());
}
