//! Workers of several processes before one store that stood still for longer than a lease: what one
//! of them has done by then, the others do not do again. What a dead worker held comes back as soon
//! as without that.

use crate::support::{Events, Rig, Running, job, millis, router, span};
use queue_core::{ClaimRequest, NewJob, QueueName, SeededRng, Storage, WorkerId};
use queue_memory::MemoryStorage;
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, StorageVerb};
use queue_worker::{TokioClock, Worker, WorkerBuilder};
use std::sync::Arc;
use tokio::time::sleep;

const LEASE_MS: u64 = 30_000;
/// A busy worker looks once in this time.
const LOOK_MS: u64 = 5000;
/// How long leases are left alone that lapsed in a silence.
const LEFT_ALONE_MS: u64 = 10_000;

/// More calls than a worker makes while the store stands still.
const CALLS: usize = 10_000;

/// The way of one process to the store that it shares with others.
struct ProcessWay {
    store: Arc<FaultStore<MemoryStorage>>,
    events: Events,
}

impl ProcessWay {
    fn to(store: &Arc<MemoryStorage>) -> Self {
        let store = Arc::new(FaultStore::new(store.clone(), FaultPlan::new(7)));
        Self { store, events: Events::new() }
    }

    /// A worker whose handler takes as many milliseconds as the payload says.
    fn worker(&self) -> WorkerBuilder {
        let handler = router(|takes_ms, _| async move {
            sleep(millis(takes_ms.into())).await;
            Ok(())
        });
        let events = self.events.clone();
        Worker::builder(self.store.clone(), queue(), handler)
            .concurrency(4)
            .lease(millis(LEASE_MS))
            .on_event(move |event| events.push(event))
    }

    /// Has the store refuse all writes, as one does that stands still.
    fn stand_still(&self) {
        for verb in [StorageVerb::Claim, StorageVerb::Apply, StorageVerb::Enqueue] {
            self.store.next(verb, CALLS, &Fault::Refuse);
        }
    }
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn store() -> Arc<MemoryStorage> {
    Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())))
}

async fn enqueue(store: &MemoryStorage, jobs: impl IntoIterator<Item = NewJob>) {
    let groups = jobs.into_iter().map(|job| vec![job]).collect();
    store.enqueue(&queue(), groups).await.expect("it stores them");
}

/// Claims a job as a worker that dies.
async fn claim_and_die(store: &MemoryStorage) {
    let (dead, lease) = (WorkerId::from_static("dead"), span(30_000));
    let request = ClaimRequest::new(queue(), dead, 1, lease, &SeededRng::new(9));
    assert_eq!(store.claim(request).await.expect("it answers").jobs.len(), 1);
}

/// Lets the first worker do a job while the store stands still, and the second look after the queue
/// as soon as the store goes on, before the first sends its outcome again.
async fn is_done_once(store: &Arc<MemoryStorage>, start_other: impl AsyncFnOnce(&ProcessWay) -> Running) {
    let (first, other) = (ProcessWay::to(store), ProcessWay::to(store));
    enqueue(store, [job("a", 1000)]).await;
    let worker = Rig::start(first.worker());
    first.events.wait_for("started a").await;
    first.stand_still();
    let other_worker = start_other(&other).await;
    first.store.heal();
    first.events.wait_for("completed a").await;
    sleep(millis(LEASE_MS)).await;
    let (report, other_report) = (worker.stop().await, other_worker.stop().await);
    assert_eq!((report.started, report.completed), (1, 1), "{:?}", first.events.trace());
    let others = (other_report.started, other_report.rescued);
    assert_eq!(others, (0, 0), "it is done, and must not run again: {:?}", other.events.trace());
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_calls_failed_too_leaves_what_is_done_to_the_other() {
    is_done_once(&store(), async |other| {
        let running = Rig::start(other.worker().rescue_interval(millis(100)));
        sleep(millis(100)).await;
        other.stand_still();
        sleep(millis(2 * LEASE_MS)).await;
        other.store.heal();
        // Its first look comes before the other sends again.
        sleep(millis(1000)).await;
        running
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_starts_when_the_store_goes_on_leaves_what_is_done_to_the_other() {
    is_done_once(&store(), async |other| {
        sleep(millis(2 * LEASE_MS)).await;
        let running = Rig::start(other.worker().rescue_interval(millis(100)));
        sleep(millis(1000)).await;
        running
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_only_reads_meanwhile_leaves_what_is_done_to_the_other() {
    is_done_once(&store(), async |other| {
        let running = Rig::start(other.worker().concurrency(1).prefetch(0));
        sleep(millis(100)).await;
        other.store.next(StorageVerb::Claim, CALLS, &Fault::Delay(millis(2 * LEASE_MS)));
        sleep(millis(2 * LEASE_MS + 10_000)).await;
        other.store.heal();
        running
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_worker_ends_the_lease_of_a_dead_one_as_it_lapses() {
    let store = store();
    enqueue(&store, [job("a", 1)]).await;
    claim_and_die(&store).await;
    let way = ProcessWay::to(&store);
    let running = Rig::start(way.worker());
    way.events.wait_for("completed a").await;
    let at = way.events.times_of("stalled a")[0];
    assert!((LEASE_MS..LEASE_MS + 500).contains(&at), "{at}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_busy_worker_ends_the_lease_of_a_dead_one_with_its_next_look() {
    let store = store();
    enqueue(&store, [job("a", 1)]).await;
    claim_and_die(&store).await;
    enqueue(&store, (0..4).map(|n| job(&format!("long {n}"), 600_000))).await;
    let way = ProcessWay::to(&store);
    let running = Rig::start(way.worker().drain_deadline(millis(0)));
    way.events.wait_for("stalled a").await;
    let at = way.events.times_of("stalled a")[0];
    assert!((LEASE_MS..LEASE_MS + LOOK_MS * 5 / 4 + 500).contains(&at), "{at}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_lapsed_before_a_worker_started_is_ended_a_little_later() {
    let store = store();
    enqueue(&store, [job("a", 1)]).await;
    claim_and_die(&store).await;
    sleep(millis(2 * LEASE_MS)).await;
    let way = ProcessWay::to(&store);
    let running = Rig::start(way.worker());
    way.events.wait_for("completed a").await;
    let at = way.events.times_of("stalled a")[0];
    assert!((LEFT_ALONE_MS..LEFT_ALONE_MS + 2 * LOOK_MS).contains(&at), "{at}");
    running.stop().await;
}
