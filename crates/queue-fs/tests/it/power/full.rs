//! A full disk: new jobs are refused, and existing ones are completed.

use crate::power::disk::Disk;
use queue_core::{
    Certainty, ClaimRequest, ContentType, ErrorKind, JobId, Kind, NewJob, Payload, QueueName, Retention,
    SeededRng, Span, Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_fs::{FsOptions, FsStorage};
use std::sync::Arc;

const CAPACITY_BYTES: u64 = 64 << 10;
const PAYLOAD_BYTES: usize = 500;

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn options(disk: &Disk) -> FsOptions {
    FsOptions::new("simulated")
        .fs(Arc::new(disk.clone()))
        .rng(Arc::new(SeededRng::new(1)))
        .segment_bytes(8 << 10)
        .reserve_bytes(16 << 10)
}

fn job(n: usize) -> NewJob {
    let payload = Payload::new(vec![7; PAYLOAD_BYTES], ContentType::from_static("x/y"));
    let id = JobId::new(format!("job-{n}")).expect("a valid id");
    NewJob::new(id, Kind::from_static("kind"), payload).with_retention(Retention::Remove)
}

/// Enqueues until there is no room; returns the number of jobs.
async fn fill(store: &FsStorage) -> usize {
    for n in 0.. {
        if let Err(error) = store.enqueue(&queue(), vec![vec![job(n)]]).await {
            assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
            assert!(error.message().contains("full"), "{error}");
            return n;
        }
    }
    unreachable!("the disk has an end")
}

/// Claims and completes every job.
async fn drain(store: &FsStorage) -> usize {
    let mut done = 0;
    loop {
        let (worker, rng) = (WorkerId::from_static("w"), SeededRng::new(done as u64));
        let request = ClaimRequest::new(queue(), worker, 2, Span::from_secs(30), &rng);
        let claimed = store.claim(request).await.expect("claims work on a full disk").jobs;
        if claimed.is_empty() {
            return done;
        }
        for job in claimed {
            let result = Payload::new("", ContentType::from_static("x/y"));
            let event = Event::Complete { token: job.token, result, retention: None, then: vec![] };
            store.settle(&job.record.meta, event, &Policy::default()).await.expect("so do settles");
            done += 1;
        }
    }
}

async fn assert_sound(store: &FsStorage) {
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_there_gets_done_and_then_there_is_room_again() {
    let disk = Disk::new();
    disk.set_capacity(Some(CAPACITY_BYTES));
    let store = FsStorage::open(options(&disk)).await.expect("it opens");
    for round in 0..3 {
        let jobs = fill(&store).await;
        assert!(jobs > 20, "round {round}: {jobs} jobs fit");
        assert_sound(&store).await;
        assert_eq!(drain(&store).await, jobs, "round {round}");
        assert_sound(&store).await;
    }
}

#[tokio::test]
async fn a_store_on_a_full_disk_can_be_opened_and_worked_off() {
    let disk = Disk::new();
    disk.set_capacity(Some(CAPACITY_BYTES));
    let store = FsStorage::open(options(&disk)).await.expect("it opens");
    let jobs = fill(&store).await;
    drop(store);
    // Another program has taken the rest of the room.
    disk.set_capacity(Some(disk.used_bytes()));
    let store = FsStorage::open(options(&disk)).await.expect("it opens");
    assert!(store.enqueue(&queue(), vec![vec![job(jobs)]]).await.is_err());
    assert_eq!(drain(&store).await, jobs);
    assert_sound(&store).await;
    disk.set_capacity(None);
    store.enqueue(&queue(), vec![vec![job(jobs)]]).await.expect("service resumes");
}

#[tokio::test]
async fn of_calls_that_share_a_record_those_that_fit_succeed() {
    let disk = Disk::new();
    let store = FsStorage::open(options(&disk)).await.expect("it opens");
    store.enqueue(&queue(), vec![vec![job(0)]]).await.expect("there is room");
    disk.set_capacity(Some(disk.used_bytes() + 2_000));
    let mut large = job(1);
    large.payload = Payload::new(vec![0; 10_000], ContentType::from_static("x/y"));
    let name = queue();
    let call = |job| store.enqueue(&name, vec![vec![job]]);
    let (first, large, last) = tokio::join!(call(job(2)), call(large), call(job(3)));
    assert!(first.is_ok() && last.is_ok());
    assert_eq!(large.expect_err("it is too large").kind(), ErrorKind::Unavailable);
    assert_eq!(store.counts(&queue()).await.expect("it counts").total(), 3);
    assert_sound(&store).await;
}
