//! Large payloads: which parts stay in memory, and how much one record can hold.

use crate::common::{Place, assert_sound, claim, enqueue, job, queue, settle, text};
use queue_core::{Enqueued, Payload, Storage, lifecycle::Event};
use queue_fs::FsStorage;

#[tokio::test]
async fn payloads_beyond_the_memory_budget_are_read_from_the_disk() {
    const BUDGET_BYTES: u64 = 50_000;
    let place = Place::new();
    let open = || FsStorage::open(place.options().memory_budget_bytes(BUDGET_BYTES));
    let large = |n: usize| {
        let payload = Payload::new(format!("{n} ").repeat(2_000), text("").content_type);
        let mut job = job(&n.to_string());
        job.payload = payload;
        job
    };
    let store = open().await.unwrap();
    enqueue(&store, (0..50).map(large).collect()).await;
    let usage = store.usage().await.unwrap();
    assert!(usage.resident_bytes <= BUDGET_BYTES && usage.resident_bytes > 0, "{usage:?}");
    assert_eq!(usage.jobs, 50);
    drop(store);
    let store = open().await.unwrap();
    assert!(store.usage().await.unwrap().resident_bytes <= BUDGET_BYTES);
    for (n, held) in claim(&store, 50).await.jobs.into_iter().enumerate() {
        assert_eq!(held.record.body.unwrap().payload, large(n).payload);
        let event =
            Event::Complete { token: held.token, result: large(n).payload, retention: None, then: vec![] };
        settle(&store, &held.record.meta, event).await;
    }
    let usage = store.usage().await.unwrap();
    assert!(usage.resident_bytes <= BUDGET_BYTES, "{usage:?}");
    for n in 0..50 {
        let again = enqueue(&store, vec![large(n)]).await;
        assert!(
            matches!(&again[0], Enqueued::Completed { result: Some(result), .. } if *result == large(n).payload),
            "{n}"
        );
    }
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_call_that_is_too_large_for_one_record_is_refused_whole() {
    let place = Place::new();
    let store = place.open().await;
    let payload = Payload::new(vec![0; 1 << 20], text("").content_type);
    let jobs: Vec<_> = (0..257)
        .map(|n| {
            let mut job = job(&n.to_string());
            job.payload = payload.clone();
            job
        })
        .collect();
    let error = store.enqueue(&queue(), vec![jobs]).await.unwrap_err();
    assert_eq!(error.kind(), queue_core::ErrorKind::Invalid, "{error}");
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 0);
}
