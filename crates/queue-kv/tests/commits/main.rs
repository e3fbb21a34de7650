//! What the suite cannot force: a database that fails, the number of commits, and damage that
//! `verify` must find.

mod gates;
mod partitions;

use queue_core::{
    Capabilities, Certainty, ClaimRequest, ContentType, Durability, EndSignal, ErrorKind, JobId, Kind,
    ManualClock, NewGate, NewJob, Payload, QueueName, Reach, Result, Retention, SeededRng, Span, State,
    Storage, StorageExt, WorkerId,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_kv::{Kv, KvDatabase, KvEntry, KvError, KvRead, KvStorage, KvWrite, MemoryKv};
use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// More entries than any test here stores.
const ALL: usize = 1000;

/// The first byte of the keys of pauses of kinds.
const KIND_PAUSE: u8 = 21;
/// The first bytes of the keys of gated jobs and end signals.
const OF_GATES: [u8; 2] = [23, 24];
/// The first bytes of the keys of partitions, of their jobs and fronts, of turns and of limits.
const OF_PARTITIONS: std::ops::RangeInclusive<u8> = 25..=30;

/// A database that counts its commits, its reads and the looks for gates and partitions, and fails
/// on command.
#[derive(Debug, Default)]
struct Watched {
    kv: MemoryKv,
    commits: AtomicUsize,
    looks_for_gates: AtomicUsize,
    looks_for_partitions: AtomicUsize,
    reads: AtomicUsize,
    fails_to_begin: AtomicBool,
    fails_to_commit: AtomicBool,
}

struct WatchedWrite<'a> {
    write: Box<dyn KvWrite + 'a>,
    watched: &'a Watched,
}

fn broken() -> KvError {
    "the disk is on fire".into()
}

impl Kv for Watched {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("watched", Durability::None, Reach::Process)
    }

    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError> {
        self.kv.begin_read()
    }

    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError> {
        if self.fails_to_begin.swap(false, Ordering::SeqCst) {
            return Err(broken());
        }
        Ok(Box::new(WatchedWrite { write: self.kv.begin_write()?, watched: self }))
    }
}

impl WatchedWrite<'_> {
    fn see(&self, key: &[u8]) {
        if OF_GATES.contains(&key[0]) {
            self.watched.looks_for_gates.fetch_add(1, Ordering::SeqCst);
        }
        if OF_PARTITIONS.contains(&key[0]) {
            self.watched.looks_for_partitions.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl KvRead for WatchedWrite<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        self.see(key);
        self.watched.reads.fetch_add(1, Ordering::SeqCst);
        self.write.get(key)
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError> {
        self.see(range.start);
        let found = self.write.scan(range, limit)?;
        self.watched.reads.fetch_add(found.len().max(1), Ordering::SeqCst);
        Ok(found)
    }
}

impl KvWrite for WatchedWrite<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.see(key);
        self.write.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), KvError> {
        self.see(key);
        self.write.delete(key)
    }

    fn commit(self: Box<Self>) -> Result<(), KvError> {
        if self.watched.fails_to_commit.swap(false, Ordering::SeqCst) {
            return Err(broken());
        }
        self.watched.commits.fetch_add(1, Ordering::SeqCst);
        self.write.commit()
    }
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn text(text: &'static str) -> Payload {
    Payload::new(text, ContentType::from_static("text/plain"))
}

fn job(id: &str) -> NewJob {
    NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), text("x"))
}

fn request(limit: usize) -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("w"), limit, Span::from_secs(30), &SeededRng::new(7))
}

async fn open(kv: impl Kv) -> Result<KvStorage> {
    KvStorage::open(KvDatabase::new(kv, Arc::new(ManualClock::default()))).await
}

#[tokio::test]
async fn a_commit_that_failed_may_have_happened_and_the_next_one_works() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    kv.fails_to_commit.store(true, Ordering::SeqCst);
    let failed = store.enqueue(&queue(), vec![vec![job("a")]]).await.expect_err("the commit failed");
    assert_eq!((failed.kind(), failed.certainty()), (ErrorKind::Unavailable, Certainty::Unknown));
    assert_eq!(failed.operation(), "enqueue");
    assert!(failed.message().contains("on fire"), "{failed}");
    assert!(store.enqueue(&queue(), vec![vec![job("a")]]).await?.value[0][0].is_new(), "it was taken back");
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_did_not_begin_certainly_did_nothing() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    kv.fails_to_begin.store(true, Ordering::SeqCst);
    let failed = store.enqueue(&queue(), vec![vec![job("a")]]).await.expect_err("it did not begin");
    assert_eq!((failed.kind(), failed.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert_eq!(store.counts(&queue()).await?.total(), 0);
    Ok(())
}

#[tokio::test]
async fn what_changes_nothing_commits_nothing() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    assert!(store.claim(request(5)).await?.jobs.is_empty());
    assert_eq!(store.counts(&queue()).await?.total(), 0);
    assert_eq!(kv.commits.load(Ordering::SeqCst), 0);
    store.enqueue(&queue(), vec![vec![job("a")], vec![job("b"), job("a")]]).await?;
    assert_eq!(kv.commits.load(Ordering::SeqCst), 1);
    store.enqueue(&queue(), vec![vec![job("a")]]).await?;
    assert_eq!(kv.commits.load(Ordering::SeqCst), 1, "a duplicate is no change");
    Ok(())
}

#[tokio::test]
async fn what_waits_together_is_one_commit() -> Result<()> {
    const CALLS: usize = 100;
    let kv = Arc::new(Watched::default());
    let store = Arc::new(open(kv.clone()).await?);
    // An open read excludes the writer, so the calls wait for each other.
    let reading = kv.kv.begin_read().expect("it reads");
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..CALLS {
        let store = store.clone();
        calls.spawn(async move { store.enqueue(&queue(), vec![vec![job(&call.to_string())]]).await });
    }
    // On one thread, all calls have been sent once this task has yielded that many times.
    for _ in 0..CALLS {
        tokio::task::yield_now().await;
    }
    drop(reading);
    while let Some(answer) = calls.join_next().await {
        assert!(answer.expect("no call panics")?.value[0][0].is_new());
    }
    assert!(kv.commits.load(Ordering::SeqCst) <= 2, "the one that was first, and all others");
    assert_eq!(store.counts(&queue()).await?.of(State::Queued), CALLS as u64);
    Ok(())
}

#[tokio::test]
async fn jobs_whose_time_came_are_counted_as_due_before_and_after_a_claim_moves_them() -> Result<()> {
    let clock = Arc::new(ManualClock::default());
    let store = KvStorage::open(KvDatabase::new(MemoryKv::default(), clock.clone())).await?;
    let later = |id, seconds| job(id).with_delay(Span::from_secs(seconds));
    store.enqueue(&queue(), vec![vec![job("now"), later("soon", 10), later("late", 100)]]).await?;
    assert_eq!(store.counts(&queue()).await?.scheduled, 2);
    clock.advance(Duration::from_secs(10));
    assert_eq!(store.counts(&queue()).await?.scheduled, 1);
    assert_eq!(store.claim(request(1)).await?.jobs.len(), 1);
    assert_eq!(store.counts(&queue()).await?.scheduled, 1);
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

fn gated(timeout: Option<Span>) -> NewJob {
    job("gated").with_gate(NewGate { needs: 1, is_sealed: true, timeout })
}

fn sender(id: &str) -> NewJob {
    job(id).with_end_signals([EndSignal::to(JobId::from_static("gated"))])
}

/// One job in each kind of place: waiting, scheduled, gated, running, kept with a result, kept
/// without one.
async fn populate(store: &KvStorage) -> Result<()> {
    populate_plain(store).await?;
    store.enqueue(&queue(), vec![vec![gated(None), sender("sender")]]).await?;
    Ok(())
}

async fn populate_plain(store: &KvStorage) -> Result<()> {
    let later = job("later").with_delay(Span::from_secs(60));
    let jobs =
        ["running", "done", "cancelled", "waiting"].map(|id| job(id).with_retention(Retention::default()));
    store.enqueue(&queue(), vec![jobs.to_vec(), vec![later]]).await?;
    let held = store.claim(request(3)).await?.jobs;
    let token = held[0].token;
    let done = Event::Complete { token, result: text("y"), retention: None, then: vec![] };
    store.settle(&held[1].record.meta, done, &Policy::default()).await?;
    store.settle(&held[2].record.meta, Event::release(token), &Policy::default()).await?;
    let cancel = Event::Cancel { processing: OnProcessing::Leave };
    store.change(&queue(), &held[2].record.meta.id, cancel, &Policy::default()).await?;
    Ok(())
}

fn write(kv: &MemoryKv, change: impl FnOnce(&mut dyn KvWrite) -> Result<(), KvError>) {
    let mut writing = kv.begin_write().expect("it begins");
    change(&mut *writing).expect("it writes");
    writing.commit().expect("it commits");
}

#[tokio::test]
async fn verify_misses_any_entry_that_is_gone_and_finds_any_that_is_left() -> Result<()> {
    let kv = Arc::new(MemoryKv::default());
    let store = open(kv.clone()).await?;
    populate(&store).await?;
    assert_eq!(store.verify().await?, Vec::<String>::new());
    assert_each_entry_counts(&kv, &store).await?;
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

/// Removes each entry, and adds one of each family that belongs to nothing: `verify` finds it.
async fn assert_each_entry_counts(kv: &MemoryKv, store: &KvStorage) -> Result<()> {
    // The first family is the time, which no record accounts for.
    let entries = kv.begin_read().expect("it reads").scan(&[2][..]..&[u8::MAX][..], ALL).expect("it scans");
    // Which kinds are paused no record says.
    let entries: Vec<KvEntry> = entries.into_iter().filter(|(key, _)| key[0] != KIND_PAUSE).collect();
    for (key, value) in &entries {
        write(kv, |writing| writing.delete(key));
        assert!(!store.verify().await?.is_empty(), "nobody misses {key:?}");
        write(kv, |writing| writing.put(key, value));
    }
    let keys: std::collections::BTreeSet<u8> = entries.iter().map(|(key, _)| key[0]).collect();
    for family in keys {
        // The newest life, and the names of queues, may stand alone; records and counts are not
        // entries of other records.
        let of_family = entries.iter().find(|(key, _)| key[0] == family && key.len() > 10);
        let Some((key, value)) = of_family else { continue };
        let mut other = key.clone();
        *other.last_mut().expect("it is long") ^= 0x40;
        write(kv, |writing| writing.put(&other, value));
        assert!(!store.verify().await?.is_empty(), "nobody wonders about {other:?}");
        write(kv, |writing| writing.delete(&other));
    }
    Ok(())
}
