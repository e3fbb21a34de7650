//! A master of a Cluster that stands still while its socket accepts connections, like a stopped
//! process or a hung machine.

use super::rounds;
use crate::cluster::{Cluster, MASTERS};
use queue_core::{
    ClaimRequest, ContentType, Counts, JobId, Kind, ListQuery, NewJob, Payload, QueueName, Result, Span,
    State, Storage, SystemRng, WorkerId,
};
use queue_redis::{RedisOptions, RedisStorage};
use queue_worker::{Context, Router, Worker};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

const TIMEOUT: Duration = Duration::from_millis(500);
/// The calls that the frozen master leaves unanswered in each round.
const UNANSWERED: usize = 12;
/// The calls that other masters must answer meanwhile for each of those. They take a few
/// milliseconds, the others a time-out.
const ANSWERED_MIN: u64 = 10;
const RESENDS_MAX: usize = 100;
/// The jobs of the queue whose master works, before and while the other stands still.
const JOBS: u64 = 2_000;

async fn enqueue(store: &RedisStorage, queue: &QueueName) -> Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = JobId::new(NEXT.fetch_add(1, Ordering::Relaxed).to_string()).expect("valid");
    let payload = Payload::new("null", ContentType::from_static("application/json"));
    store.enqueue(queue, vec![vec![NewJob::new(id, Kind::from_static("null"), payload)]]).await.map(drop)
}

async fn claim(store: &RedisStorage, queue: &QueueName) -> Result<()> {
    let worker = WorkerId::new("worker").expect("valid");
    let request = ClaimRequest::new(queue.clone(), worker, 1, Span::from_secs(60), &SystemRng);
    store.claim(request).await.map(drop)
}

/// The outcomes of the calls about one queue.
#[derive(Debug, Default)]
struct Calls {
    answered: AtomicU64,
    longest_ms: AtomicU64,
}

impl Calls {
    /// Enqueues and claims, one after the other, until it is aborted.
    async fn go_on(self: Arc<Self>, store: Arc<RedisStorage>, queue: QueueName) {
        loop {
            let start = Instant::now();
            enqueue(&store, &queue).await.expect("its master serves");
            claim(&store, &queue).await.expect("its master serves");
            let took_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.longest_ms.fetch_max(took_ms, Ordering::Relaxed);
            self.answered.fetch_add(2, Ordering::Relaxed);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_master_that_stands_still_holds_up_no_queue_of_another() {
    let cluster = Cluster::start().await;
    let shared = cluster.master_of("*").await;
    let (frozen, healthy) = ((shared + 1) % MASTERS, (shared + 2) % MASTERS);
    let (sick, well) = (cluster.queue_of(frozen).await, cluster.queue_of(healthy).await);
    let options = RedisOptions::new(&cluster.url()).expect("valid");
    let options = options.response_timeout(TIMEOUT).connect_timeout(TIMEOUT);
    let store = Arc::new(RedisStorage::open(options).await.expect("it opens"));
    for queue in [&sick, &well] {
        enqueue(&store, queue).await.expect("all masters serve");
    }

    cluster.masters[frozen].signal("STOP");
    let (calls, mut callers) = (Arc::new(Calls::default()), JoinSet::new());
    for _ in 0..4 {
        callers.spawn(calls.clone().go_on(store.clone(), well.clone()));
    }
    for number in 0..rounds() * UNANSWERED {
        let before = calls.answered.load(Ordering::Relaxed);
        let (one, other) = tokio::join!(enqueue(&store, &sick), claim(&store, &sick));
        one.and(other).expect_err("its master stands still");
        let answered = calls.answered.load(Ordering::Relaxed) - before;
        println!(
            "{number}: {answered} calls, the longest took {} ms",
            calls.longest_ms.load(Ordering::Relaxed)
        );
        assert!(answered >= ANSWERED_MIN, "{answered} while call {number} went unanswered");
    }

    cluster.masters[frozen].signal("CONT");
    let mut resends = 0;
    while enqueue(&store, &sick).await.is_err() {
        resends += 1;
        assert!(resends < RESENDS_MAX, "the queue does not come back");
        sleep(Duration::from_millis(50)).await;
    }
    assert!(callers.try_join_next().is_none(), "a call about the other queue failed");
    callers.shutdown().await;
    assert_eq!(store.verify().await.expect("it can be read"), Vec::<String>::new());
}

async fn until(store: &RedisStorage, queue: &QueueName, is_so: impl Fn(&Counts) -> bool) {
    let wait = async {
        while !store.counts(queue).await.is_ok_and(|counts| is_so(&counts)) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("it comes to that");
}

/// One worker serves both queues, which both have jobs.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_worker_goes_on_with_the_queues_of_other_masters() {
    let cluster = Cluster::start().await;
    let shared = cluster.master_of("*").await;
    let (frozen, healthy) = ((shared + 1) % MASTERS, (shared + 2) % MASTERS);
    let (sick, well) = (cluster.queue_of(frozen).await, cluster.queue_of(healthy).await);
    let options = RedisOptions::new(&cluster.url()).expect("valid").response_timeout(TIMEOUT);
    let store = Arc::new(RedisStorage::open(options.connect_timeout(TIMEOUT)).await.expect("it opens"));
    let put = async |queue, jobs| {
        for _ in 0..jobs {
            enqueue(&store, queue).await.expect("its master serves");
        }
    };
    put(&well, JOBS).await;
    put(&sick, 3 * JOBS).await;
    let handle = async |(): (), _: Context| {
        // The pause is so short that the worker keeps claiming, and not all jobs are done before
        // the master stands still.
        sleep(Duration::from_millis(10)).await;
        Ok(())
    };
    let router = Router::new(()).handle("null", handle).expect("one handler");
    let worker = Worker::builder(store.clone(), sick.clone(), router).also(well.clone()).concurrency(20);
    let worker = worker.build().expect("it is built");
    let stop = worker.stop_token();
    let mut running = JoinSet::new();
    running.spawn(worker.run());

    let begun = Instant::now();
    until(&store, &well, |counts| counts.of(State::Completed) == JOBS).await;
    let serving = begun.elapsed();
    cluster.masters[frozen].signal("STOP");
    let begun = Instant::now();
    put(&well, JOBS).await;
    until(&store, &well, |counts| counts.of(State::Completed) == 2 * JOBS).await;
    println!(
        "{JOBS} jobs beside a master that serves: {serving:?}, beside one that does not: {:?}",
        begun.elapsed()
    );

    cluster.masters[frozen].signal("CONT");
    until(&store, &sick, |counts| counts.of(State::Completed) == 3 * JOBS).await;
    stop.cancel();
    println!("{:?}", running.join_next().await);
    for queue in [sick, well] {
        let jobs = store.list(ListQuery::all(queue, 10_000)).await.expect("it lists").jobs;
        assert!(jobs.iter().all(|job| job.stalls == 0 && job.failures == 0), "a job was charged");
    }
}
