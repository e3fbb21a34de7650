//! Jobs with the largest payloads, on a slow line and in large claims.

use crate::server::{Fsync, Server};
use queue_core::{
    ClaimRequest, ContentType, JobId, JobMeta, Kind, ListQuery, NewJob, Payload, QueueName, SeededRng, Span,
    State, Storage, WorkerId,
};
use queue_redis::{RedisOptions, RedisStorage};
use queue_testkit::proxy::{Proxy, Rates, Traffic};
use queue_worker::{Router, Worker};
use std::{env, sync::Arc};

const PAYLOAD_BYTES: usize = 1 << 20;
/// The most bytes that one claim brings by default.
const CLAIM_BYTES: usize = 16 << 20;
const BYTES_PER_SECOND: u64 = 8_000_000;
/// More than a line of that rate carries within one time-out.
const JOBS: usize = 48;

fn queue() -> QueueName {
    QueueName::from_static("large")
}

async fn open(url: &str) -> RedisStorage {
    RedisStorage::open(RedisOptions::new(url).expect("valid")).await.expect("it opens")
}

async fn put(store: &RedisStorage, jobs: usize) {
    for number in 0..jobs {
        let text = vec![b'1'; PAYLOAD_BYTES - 2];
        let text = [&b"\""[..], &text, &b"\""[..]].concat();
        let payload = Payload::new(text, ContentType::from_static("application/json"));
        let id = JobId::new(number.to_string()).expect("valid");
        let job = NewJob::new(id, Kind::from_static("large"), payload);
        store.enqueue(&queue(), vec![vec![job]]).await.expect("it enqueues");
    }
}

async fn all(store: &RedisStorage) -> Vec<JobMeta> {
    store.list(ListQuery::all(queue(), 1_000)).await.expect("it lists").jobs
}

/// All jobs together take longer than a call waits: the answer to a claim of all would never
/// arrive.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_jobs_on_a_slow_line_are_all_done_and_none_stalls() {
    let jobs = env::var("QUEUE_TEST_LARGE_JOBS").map_or(JOBS, |text| text.parse().expect("a number"));
    let server = Server::start(Fsync::Never).await;
    let near = open(&server.url()).await;
    put(&near, jobs).await;
    let proxy = Proxy::start(([127, 0, 0, 1], server.port()).into()).expect("a free port");
    let far = Arc::new(open(&format!("redis://{}", proxy.address())).await);
    let line = Rates::default().to_client(BYTES_PER_SECOND);
    proxy.set(Traffic::Throttle(line)).await.expect("it works");

    let router = Router::new(()).handle("large", async |_: String, _| Ok(()));
    let worker = Worker::builder(far, queue(), router.expect("one handler")).until_empty().build();
    let done = worker.expect("it is built").run().await;

    println!("{done:?}");
    let after = all(&near).await;
    assert_eq!(after.len(), jobs);
    for job in after {
        assert_eq!((job.state, job.stalls, job.failures), (State::Completed, 0, 0), "{job:?}");
    }
}

/// The server runs one script at a time and holds its whole answer in memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_of_a_thousand_large_jobs_takes_a_bounded_part_of_the_server() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server.url()).await;
    put(&store, 200).await;
    server.run(redis::cmd("CONFIG").arg("RESETSTAT")).await;
    let before = server.memory_peak().await;
    let worker = WorkerId::from_static("w");
    let request = ClaimRequest::new(queue(), worker, 1_000, Span::from_secs(60), &SeededRng::new(1));
    let claimed = store.claim(request).await.expect("it answers");
    let grown = server.memory_peak().await - before;
    assert_eq!(claimed.jobs.len(), CLAIM_BYTES / PAYLOAD_BYTES);
    // Each payload is in the script, in its answer, and on its way.
    assert!(grown <= 4 * CLAIM_BYTES as u64, "it took {} MiB more", grown >> 20);
}
