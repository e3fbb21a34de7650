//! The worker, and its upkeep alone, as members of a group.

use crate::support::{Log, ended, secs, spawn};
use queue_core::{
    ClaimRequest, ContentType, Counts, JobId, Kind, NewJob, Payload, QueueName, Retention, SeededRng, Span,
    State, Storage, WorkerId, lifecycle::Policy,
};
use queue_memory::MemoryStorage;
use queue_worker::{
    PruneTick, RescueTick, Router, TokioClock, Worker,
    runtime::{Group, GroupError, PacedLoop, PacedTick},
};
use std::sync::Arc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

fn queue() -> QueueName {
    QueueName::from_static("tests")
}

async fn store_with(jobs: usize, keep: Retention) -> Arc<MemoryStorage> {
    let store = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    for n in 0..jobs {
        let payload = Payload::new(n.to_string(), ContentType::from_static("application/json"));
        let id = JobId::new(format!("job-{n}")).expect("a valid id");
        let job = NewJob::new(id, Kind::from_static("work"), payload).with_retention(keep);
        store.enqueue(&queue(), vec![vec![job]]).await.expect("the store enqueues");
    }
    store
}

async fn counts(store: &MemoryStorage) -> Counts {
    store.counts(&queue()).await.expect("the store counts")
}

fn worker(store: &Arc<MemoryStorage>, log: &Log, work_secs: u64) -> Worker {
    let log = log.clone();
    let router = Router::new(()).handle("work", move |_: u32, _| {
        let log = log.clone();
        async move {
            log.push("started");
            sleep(secs(work_secs)).await;
            log.push("done");
            Ok(())
        }
    });
    let router = router.expect("it is the only handler");
    let rng = Arc::new(SeededRng::new(7));
    Worker::builder(store.clone(), queue(), router).concurrency(1).rng(rng).build().expect("valid settings")
}

fn upkeep(tick: impl PacedTick) -> PacedLoop<impl PacedTick> {
    PacedLoop::builder(tick).interval(secs(1)).max_idle_interval(secs(1)).build().expect("valid settings")
}

#[tokio::test(start_paused = true)]
async fn a_worker_is_a_member_that_stops_in_steps() {
    let (store, log) = (store_with(3, Retention::Forever).await, Log::new());
    let stop = CancellationToken::new();
    let run = spawn(Group::new().add("worker", worker(&store, &log, 10)).run(stop.clone()));
    log.wait_for("started").await;
    stop.cancel();
    ended(run).await.unwrap();
    let counts = counts(&store).await;
    assert_eq!((counts.of(State::Completed), counts.of(State::Queued), log.count("started")), (1, 2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_ends_by_itself_leaves_the_group_running() {
    let (store, log) = (store_with(2, Retention::Forever).await, Log::new());
    let worker = worker(&store, &log, 1);
    let own_stop = worker.stop_token();
    let stop = CancellationToken::new();
    let group = Group::new().add("other", crate::group::lasting(&log, "other", 0)).add("worker", worker);
    let run = spawn(group.run(stop.clone()));
    log.wait_for_count("done", 2).await;
    own_stop.cancel();
    sleep(secs(100)).await;
    assert_eq!(log.count("other is told"), 0);
    stop.cancel();
    ended(run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_over_the_stop_deadline_leaves_nothing_running() {
    let (store, log) = (store_with(1, Retention::Forever).await, Log::new());
    let stop = CancellationToken::new();
    let group = Group::new().add("worker", worker(&store, &log, 1_000_000)).stop_deadline(secs(2));
    let run = spawn(group.run(stop.clone()));
    log.wait_for("started").await;
    stop.cancel();
    assert!(matches!(ended(run).await, Err(GroupError::Overdue { .. })));
    crate::support::settle().await;
    let alive = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert_eq!((alive, log.count("done")), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn rescue_alone_is_a_member() {
    let store = store_with(2, Retention::Forever).await;
    let request =
        ClaimRequest::new(queue(), WorkerId::from_static("dead"), 2, Span::from_secs(5), &SeededRng::new(1));
    assert_eq!(store.claim(request).await.unwrap().jobs.len(), 2);
    let stop = CancellationToken::new();
    let rescue = upkeep(RescueTick::new(store.clone(), queue(), Policy::default()));
    let run = spawn(Group::new().add("rescue", rescue).run(stop.clone()));
    sleep(secs(4)).await;
    assert_eq!(counts(&store).await.of(State::Processing), 2);
    sleep(secs(3)).await;
    assert_eq!(counts(&store).await.of(State::Failing), 2);
    stop.cancel();
    ended(run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn prune_alone_is_a_member() {
    let (store, log) = (store_with(2, Retention::Keep(Span::from_secs(60))).await, Log::new());
    let worker = worker(&store, &log, 0);
    let own_stop = worker.stop_token();
    let worker = spawn(worker.run());
    log.wait_for_count("done", 2).await;
    own_stop.cancel();
    ended(worker).await;
    let before = store.prune(expired(0)).await.unwrap();
    let stop = CancellationToken::new();
    let prune = upkeep(PruneTick::new(store.clone(), queue()));
    let run = spawn(Group::new().add("prune", prune).run(stop.clone()));
    sleep(secs(62)).await;
    let left_over = store.prune(expired(10)).await.unwrap();
    assert_eq!((before, left_over, counts(&store).await.of(State::Completed)), (0, 0, 0));
    stop.cancel();
    ended(run).await.unwrap();
}

fn expired(limit: usize) -> queue_core::PruneRequest {
    queue_core::PruneRequest { queue: queue(), what: queue_core::Prune::Expired, limit }
}
