//! Large payloads: which parts stay in memory, and how much one record can hold.

use crate::common::{Place, assert_sound, claim, enqueue, job, queue, settle, text};
use futures_util::future::{join, join_all};
use queue_core::{
    Detail, Enqueued, JobId, JobRecord, Payload, Storage, StorageExt,
    lifecycle::{Amendment, Event, Policy, decide},
};
use queue_fs::{Flush, FsStorage};

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

/// A payload that names the revision, or an empty one.
fn amended(revision: u64) -> Payload {
    let words = if revision.is_multiple_of(2) { String::new() } else { format!("{revision} ").repeat(300) };
    Payload::new(words, text("").content_type)
}

fn ids() -> Vec<JobId> {
    (0..100).map(|n| JobId::new(n.to_string()).expect("it is short")).collect()
}

async fn all(store: &FsStorage) -> Vec<JobRecord> {
    let records = store.get_whole(&queue(), &ids()).await.expect("it reads");
    records.value.into_iter().flatten().collect()
}

fn payload(record: &JobRecord) -> Payload {
    record.body.as_ref().expect("it was read whole").payload.clone()
}

/// Amends each job, and reads it in the same moment, so that both calls are often one transaction.
async fn amend_and_read(store: &FsStorage, before: &[JobRecord]) -> Vec<JobRecord> {
    let each = before.iter().map(async |JobRecord { meta, .. }| {
        let payload = Some(amended(meta.revision + 1));
        let amend = Event::Amend(Amendment { payload, ..Amendment::default() });
        let transition = decide(meta, amend, &Policy::default()).expect("it waits");
        let queue = queue();
        let reads = store.get_one(&queue, &meta.id, Detail::Full);
        let (applied, read) = join(store.apply(vec![transition]), reads).await;
        applied.expect("it answers");
        read.expect("it answers").expect("it is there")
    });
    join_all(each).await
}

#[tokio::test]
async fn an_amended_payload_is_read_beside_its_amendment_and_outlives_compaction() {
    let place = Place::new();
    let options = || place.options().segment_bytes(64 << 10).memory_budget_bytes(0).flush(Flush::Never);
    let store = FsStorage::open(options()).await.unwrap();
    enqueue(&store, (0..100).map(|n| job(&n.to_string())).collect()).await;
    let mut jobs = all(&store).await;
    for _ in 0..20 {
        let read = amend_and_read(&store, &jobs).await;
        for (before, now) in jobs.iter().zip(&read) {
            let is_amended = now.meta.revision > before.meta.revision;
            let expected = if is_amended { amended(now.meta.revision) } else { payload(before) };
            assert_eq!(payload(now), expected, "{} as it was read", now.meta.id);
        }
        jobs = all(&store).await;
        for job in &jobs {
            assert_eq!(payload(job), amended(job.meta.revision), "{} afterwards", job.meta.id);
        }
    }
    assert!(store.usage().await.unwrap().journal_bytes < 1 << 20, "it was compacted");
    drop(store);
    let store = FsStorage::open(options()).await.unwrap();
    assert_eq!(all(&store).await, jobs);
    assert_sound(&store).await;
}
