//! Callers that wait beside a busy queue of the same store hardly ask: an idle worker, a call of
//! pull mode, a candidate behind a leader, a caller that wants a permit and one that waits for a
//! result, each on its own queue and on another handle than the busy one. And each of them learns
//! at once what concerns it.
//!
//! The counts depend on how long the busy queue takes, which depends on the machine, so the bound
//! is a number of calls per second plus a constant.

mod askers;
mod counting;
#[path = "../network/server.rs"]
mod server;

use askers::Askers;
use counting::Counting;
use queue::{Queue, Settled, Storage, SystemRng, queue_core::Rng};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Each round makes three writes: an enqueue, a claim, a completion.
const ROUNDS: u64 = 300;
/// Polls are a second apart or more, and a hint that names no queue may be followed at times.
const QUESTIONS_PER_SECOND: f64 = 5.0;
/// The calls before there is anything to go by, and those that follow the first hints.
const QUESTIONS_BESIDES: f64 = 20.0;

/// Two handles of a store, the first of which is busy.
struct Pair {
    busy: Arc<dyn Storage>,
    idle: Arc<dyn Storage>,
}

impl Pair {
    async fn open(url: &str) -> Self {
        let open = async || queue::open(url).await.expect("it opens");
        Self { busy: open().await, idle: open().await }
    }
}

/// A name for this run alone, since servers outlive it.
fn named(name: &str) -> String {
    format!("{name}-{:016x}", SystemRng.next_u64())
}

async fn stay_idle_beside_a_busy_queue(pair: Pair) {
    let counting = Arc::new(Counting::over(pair.idle));
    let askers = Askers::start(&pair.busy, counting.clone()).await;
    let before = counting.questions();
    let begun = Instant::now();
    keep_busy(&pair.busy).await;
    let seconds = begun.elapsed().as_secs_f64();
    let asked = counting.questions_since(&before);
    println!("questions in {seconds:.2} s: {asked:?}");
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let busiest = asked.values().copied().max().unwrap_or(0) as f64;
    let most = QUESTIONS_PER_SECOND * seconds + QUESTIONS_BESIDES;
    assert!(busiest <= most, "more than {most:.0} questions in {seconds:.2} s: {asked:?}");
    askers.hear_of_their_own(&pair.busy).await;
}

async fn keep_busy(store: &Arc<dyn Storage>) {
    let queue: Queue<u64, ()> = Queue::builder(store.clone(), named("busy")).build().expect("valid");
    for round in 0..ROUNDS {
        queue.enqueue(round.to_string(), round).await.expect("stored");
        let delivery = queue.dequeue(Duration::from_mins(1)).await.expect("claims").expect("it is due");
        assert_eq!(delivery.ack(&()).await.expect("it settles"), Settled::Done);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_asks_hardly_beside_a_busy_queue_in_memory() {
    let store = queue::open("memory:").await.expect("it opens");
    stay_idle_beside_a_busy_queue(Pair { busy: store.clone(), idle: store }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_asks_hardly_beside_a_busy_queue_in_a_file_of_sqlite() {
    let place = tempfile::tempdir().expect("there is room for temporary files");
    let url = format!("sqlite:{}", place.path().join("jobs.db").display());
    stay_idle_beside_a_busy_queue(Pair::open(&url).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_asks_hardly_beside_a_busy_queue_in_a_directory() {
    let place = tempfile::tempdir().expect("there is room for temporary files");
    let url = format!("file:{}", place.path().join("jobs").display());
    stay_idle_beside_a_busy_queue(Pair::open(&url).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_asks_hardly_beside_a_busy_queue_in_postgres() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    stay_idle_beside_a_busy_queue(Pair::open(&url).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_asks_hardly_beside_a_busy_queue_in_redis() {
    let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") else { return };
    stay_idle_beside_a_busy_queue(Pair::open(&url).await).await;
}
