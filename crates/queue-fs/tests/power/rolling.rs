//! A journal that goes round: bounded room under steady load, whatever stays in it.

use crate::disk::Disk;
use queue_core::{
    ClaimRequest, ContentType, Detail, JobId, Kind, NewJob, Payload, QueueName, Retention, SeededRng, Span,
    Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_fs::{FsOptions, FsStorage};
use std::sync::Arc;

const SEGMENT_BYTES: u64 = 16 << 10;
const RESERVE_BYTES: u64 = 1 << 10;
const STAYING: usize = 40;
const PAYLOAD_BYTES: usize = 700;

fn queue() -> QueueName {
    QueueName::from_static("q")
}

async fn open(disk: &Disk) -> FsStorage {
    let options = FsOptions::new("simulated").fs(Arc::new(disk.clone()));
    let options =
        options.segment_bytes(SEGMENT_BYTES).reserve_bytes(RESERVE_BYTES).memory_budget_bytes(10_000);
    FsStorage::open(options).await.expect("it opens")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new(id.repeat(PAYLOAD_BYTES / id.len()), ContentType::from_static("x/y"));
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("kind"), payload)
        .with_retention(Retention::Remove)
}

/// One job through its whole life.
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
    store.set_paused(&other, true).await.expect("it pauses");
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
    let (worker, rng) = (WorkerId::from_static("w"), SeededRng::new(0));
    let request = ClaimRequest::new(other, worker, 1, Span::from_secs(30), &rng);
    assert!(store.claim(request).await.expect("it answers").paused);
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}
