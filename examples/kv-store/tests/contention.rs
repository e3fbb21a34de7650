//! What the suite cannot force: other processes that are faster, and damage that `verify` must see.

use async_trait::async_trait;
use kv_store_example::{Check, Key, Kv, KvStorage, MemoryKv, Outcome, Versioned, Write};
use queue_core::{
    Capabilities, ClaimRequest, Clock, ContentType, Detail, ErrorKind, JobId, Kind, ManualClock, NewJob,
    Payload, QueueName, Result, Retention, SeededRng, Span, State, Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
};
use std::{
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// As many attempts as the store makes.
const ATTEMPTS: usize = 64;
/// More entries than any test here stores.
const ALL: usize = 1000;

/// A driver with somebody else at it: at some moment a rival claims, and the commits after that each lose.
#[derive(Debug, Default)]
struct Busy {
    kv: Arc<MemoryKv>,
    rival: Mutex<Option<Moment>>,
    losses: AtomicUsize,
}

/// When the rival comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    AfterScan,
    BeforeCommit,
}

impl Busy {
    fn with_rival(moment: Moment) -> Arc<Self> {
        Arc::new(Self { rival: Mutex::new(Some(moment)), ..Self::default() })
    }

    async fn reach(&self, moment: Moment) -> Result<()> {
        let comes = self.rival.lock().expect("no test panics with it").take_if(|awaited| *awaited == moment);
        if comes.is_some() {
            assert_eq!(store(self.kv.clone()).claim(request(1)).await?.jobs.len(), 1, "the rival is first");
        }
        Ok(())
    }
}

#[async_trait]
impl Kv for Busy {
    fn capabilities(&self) -> Capabilities {
        self.kv.capabilities()
    }

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Versioned>>> {
        self.kv.get(keys).await
    }

    async fn scan(&self, range: Range<Key>, limit: usize) -> Result<Vec<(Key, Versioned)>> {
        let found = self.kv.scan(range, limit).await;
        self.reach(Moment::AfterScan).await?;
        found
    }

    async fn commit(&self, checks: Vec<Check>, writes: Vec<Write>) -> Result<Outcome> {
        self.reach(Moment::BeforeCommit).await?;
        let lost = self.losses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if lost.is_ok() { Ok(Outcome::Conflict) } else { self.kv.commit(checks, writes).await }
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
    let (worker, lease) = (WorkerId::from_static("w"), Span::from_secs(30));
    ClaimRequest::new(queue(), worker, limit, lease, &SeededRng::new(7))
}

fn store(kv: Arc<impl Kv>) -> KvStorage {
    KvStorage::new(kv, Arc::new(ManualClock::default()))
}

#[tokio::test]
async fn a_verb_outlasts_all_but_one_of_its_attempts() -> Result<()> {
    let kv = Arc::new(Busy::default());
    let store = store(kv.clone());
    kv.losses.store(ATTEMPTS - 1, Ordering::SeqCst);
    let answers = store.enqueue(&queue(), vec![vec![job("a"), job("a")]]).await?.value;
    assert_eq!(answers[0].iter().map(queue_core::Enqueued::is_new).collect::<Vec<_>>(), [true, false]);
    kv.losses.store(ATTEMPTS - 1, Ordering::SeqCst);
    assert_eq!(store.claim(request(9)).await?.jobs.len(), 1);
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn attempts_are_bounded_and_leave_nothing() -> Result<()> {
    let kv = Arc::new(Busy::default());
    let store = store(kv.clone());
    kv.losses.store(ATTEMPTS, Ordering::SeqCst);
    let refused = store.enqueue(&queue(), vec![vec![job("a")]]).await.expect_err("it lost every time");
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(store.counts(&queue()).await?.total(), 0);
    Ok(())
}

#[tokio::test]
async fn of_two_claims_that_saw_the_same_job_one_gets_it() -> Result<()> {
    for moment in [Moment::AfterScan, Moment::BeforeCommit] {
        let kv = Busy::with_rival(moment);
        store(kv.kv.clone()).enqueue(&queue(), vec![vec![job("first"), job("second")]]).await?;
        let store = store(kv);
        let claimed = store.claim(request(9)).await?.jobs;
        let ids: Vec<_> = claimed.iter().map(|held| held.record.meta.id.as_str()).collect();
        assert_eq!(ids, ["second"], "{moment:?}");
        assert_eq!(store.verify().await?, Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn a_read_that_a_claim_overtook_is_of_one_moment() -> Result<()> {
    let kv = Busy::with_rival(Moment::BeforeCommit);
    store(kv.kv.clone()).enqueue(&queue(), vec![vec![job("a")]]).await?;
    let read =
        store(kv).get_one(&queue(), &JobId::from_static("a"), Detail::Full).await?.expect("it is there");
    assert_eq!(read.meta.state, State::Processing, "what was read before the claim is read again");
    Ok(())
}

/// What a read told is kept when its handle closes, or a record could be absent now and present after a reopen.
#[tokio::test]
async fn time_that_only_a_read_told_does_not_go_back_either() -> Result<()> {
    let (kv, clock) = (Arc::new(MemoryKv::default()), Arc::new(ManualClock::default()));
    let before = clock.now();
    let store = KvStorage::new(kv.clone(), clock.clone());
    clock.advance(Duration::from_secs(60));
    let told = store.counts(&queue()).await?.now;
    store.close().await?;
    clock.set(before);
    assert_eq!(KvStorage::new(kv, clock).counts(&queue()).await?.now, told);
    Ok(())
}

/// So programs that each live for a few claims carry time on from one another, even those that end without a close.
#[tokio::test]
async fn a_claim_of_nothing_keeps_the_time_while_the_clock_is_behind() -> Result<()> {
    let (kv, clock) = (Arc::new(MemoryKv::default()), Arc::new(ManualClock::default()));
    let right = clock.now();
    clock.advance(Duration::from_secs(60));
    let store = KvStorage::new(kv.clone(), clock.clone());
    let first = store.enqueue(&queue(), vec![vec![job("a")]]).await?.now;
    clock.set(right);
    clock.advance(Duration::from_secs(32));
    let told = store.claim(request(0)).await?.now;
    assert_eq!(told.since(first), Duration::from_millis(31_500));
    assert_eq!(KvStorage::new(kv, clock).counts(&queue()).await?.now, told);
    Ok(())
}

/// One job in each kind of place: waiting, running, kept with a result, kept without one.
async fn populate(store: &KvStorage) -> Result<()> {
    let jobs =
        ["running", "done", "cancelled", "waiting"].map(|id| job(id).with_retention(Retention::default()));
    store.enqueue(&queue(), vec![jobs.to_vec()]).await?;
    let held = store.claim(request(3)).await?.jobs;
    let token = held[0].token;
    let done = Event::Complete { token, result: text("y"), retention: None, then: vec![] };
    store.settle(&held[1].record.meta, done, &Policy::default()).await?;
    store.settle(&held[2].record.meta, Event::release(token), &Policy::default()).await?;
    let id = held[2].record.meta.id.clone();
    let cancel = Event::Cancel { running: queue_core::lifecycle::OnRunning::Leave };
    store.change(&queue(), &id, cancel, &Policy::default()).await?;
    Ok(())
}

#[tokio::test]
async fn verify_misses_any_entry_that_is_gone() -> Result<()> {
    let kv = Arc::new(MemoryKv::default());
    let store = store(kv.clone());
    populate(&store).await?;
    assert_eq!(store.verify().await?, Vec::<String>::new());
    // The first family is the time, which stands by itself.
    let entries = kv.scan(vec![2]..vec![u8::MAX], ALL).await?;
    assert_eq!(entries.len(), 21, "what the four jobs need, the counter of lives, and the name of the queue");
    for (key, Versioned { value, .. }) in entries {
        kv.commit(vec![], vec![Write { key: key.clone(), value: None }]).await?;
        assert!(!store.verify().await?.is_empty(), "nobody misses {key:?}");
        kv.commit(vec![], vec![Write { key, value: Some(value) }]).await?;
    }
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}
