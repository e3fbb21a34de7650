//! The server's time per job, and a job's memory there, one by one and in batches of 500. It is no
//! test: it asserts nothing about time.
//!
//! ```sh
//! cargo test --release -p queue-redis --test it -- --ignored --nocapture server_time
//! ```
//! No one else may use the server meanwhile: its statistics are reset.
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{
    Applied, ClaimRequest, ClaimedJob, ContentType, JobId, Kind, NewJob, Partition, Payload, QueueName,
    SeededRng, Span, Storage, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_redis::RedisStorage;
use redis::aio::MultiplexedConnection;

const JOBS: usize = 100_000;
const BATCH: usize = 500;
const PAYLOAD_BYTES: usize = 100;

/// The server's own account of the cost of scripts.
struct Server(MultiplexedConnection, f64);

impl Server {
    async fn info(&mut self, section: &str, field: &str) -> u64 {
        let text: String =
            redis::cmd("INFO").arg(section).query_async(&mut self.0).await.expect("it answers");
        let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
        let digits = line.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().unwrap_or(0)
    }

    async fn script_usec(&mut self) -> u64 {
        let text: String =
            redis::cmd("INFO").arg("commandstats").query_async(&mut self.0).await.expect("it answers");
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{name}:")));
            let usec = line.and_then(|line| line.split(',').find_map(|part| part.strip_prefix("usec=")));
            usec.map_or(0, |usec| usec.parse::<u64>().expect("a number"))
        };
        of("evalsha") + of("eval")
    }

    async fn memory(&mut self) -> u64 {
        self.info("memory", "used_memory:").await
    }

    /// The processor time of the thread that runs commands, in microseconds.
    async fn cpu_usec(&mut self) -> f64 {
        let text: String = redis::cmd("INFO").arg("cpu").query_async(&mut self.0).await.expect("it answers");
        let of = |name: &str| {
            let line =
                text.lines().find_map(|line| line.strip_prefix(&format!("used_cpu_{name}_main_thread:")));
            line.map_or(0.0, |seconds| seconds.trim().parse::<f64>().expect("a number"))
        };
        (of("user") + of("sys")) * 1e6
    }

    /// Prints the microseconds per job since the last call.
    async fn say(&mut self, what: &str, jobs: usize) {
        let scripts = self.script_usec().await as f64 / jobs as f64;
        let cpu = self.cpu_usec().await;
        let all = (cpu - std::mem::replace(&mut self.1, cpu)) / jobs as f64;
        println!(
            "{what:<28} {scripts:6.2} us in scripts by the clock, {all:6.2} us of processor in all, per job"
        );
        redis::cmd("CONFIG").arg("RESETSTAT").query_async::<()>(&mut self.0).await.expect("it resets");
    }
}

fn job(number: usize, partitions: Option<usize>) -> NewJob {
    let payload = Payload::new(vec![b'x'; PAYLOAD_BYTES], ContentType::from_static("application/json"));
    let id = JobId::new(format!("{number:032x}")).expect("valid");
    let job = NewJob::new(id, Kind::from_static("email"), payload);
    match partitions {
        Some(partitions) => {
            let key = format!("tenant-{:05}", number % partitions);
            job.with_partition(Partition::new(key).expect("valid"))
        }
        None => job,
    }
}

fn complete(job: &ClaimedJob) -> Transition {
    let result = Payload::new("null", ContentType::from_static("application/json"));
    let event = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
    decide(&job.record.meta, event, &Policy::default()).expect("it is held")
}

fn request(queue: &QueueName, seed: u64, limit: usize) -> ClaimRequest {
    let (worker, lease) = (WorkerId::from_static("worker-of-a-host-1"), Span::from_secs(30));
    ClaimRequest::new(queue.clone(), worker, limit, lease, &SeededRng::new(seed))
}

#[tokio::test]
#[ignore = "a measurement"]
async fn server_time_and_memory_per_job() {
    measure(None).await;
}

#[tokio::test]
#[ignore = "a measurement"]
async fn server_time_and_memory_per_job_of_ten_thousand_partitions() {
    measure(Some(10_000)).await;
}

#[tokio::test]
#[ignore = "a measurement"]
async fn server_time_and_memory_per_job_of_one_partition() {
    measure(Some(1)).await;
}

/// Jobs go through a queue, in turn over so many partitions if there are any.
async fn measure(partitions: Option<usize>) {
    let Some(url) = REDIS.url() else { return };
    let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
    let store = RedisStorage::open(space.options()).await.expect("it opens");
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut server = Server(connect(&client).await.expect("it connects"), 0.0);
    let queue = QueueName::from_static("emails");
    server.say("(before)", 1).await;

    let empty = server.memory().await;
    for from in (0..JOBS).step_by(BATCH) {
        store
            .enqueue(&queue, vec![(from..from + BATCH).map(|number| job(number, partitions)).collect()])
            .await
            .expect("it enqueues");
    }
    server.say("enqueue, batches of 500", JOBS).await;
    println!("{:>28} bytes per pending job", (server.memory().await - empty) / JOBS as u64);

    let mut held = Vec::new();
    for number in 0..JOBS / BATCH {
        held.extend(store.claim(request(&queue, number as u64, BATCH)).await.expect("it claims").jobs);
    }
    server.say("claim, batches of 500", JOBS).await;
    assert_eq!(held.len(), JOBS);
    println!("{:>28} bytes per running job", (server.memory().await - empty) / JOBS as u64);

    for batch in held.chunks(BATCH) {
        let applied = store.apply(batch.iter().map(complete).collect()).await.expect("it settles").value;
        assert!(applied.iter().all(Applied::is_done));
    }
    server.say("complete, batches of 500", JOBS).await;
    println!("{:>28} bytes per completed job", (server.memory().await - empty) / JOBS as u64);

    for number in 0..2_000 {
        store.enqueue(&queue, vec![vec![job(JOBS + number, partitions)]]).await.expect("it enqueues");
    }
    server.say("enqueue, one by one", 2_000).await;
    let mut held = Vec::new();
    for number in 0..2_000 {
        held.extend(store.claim(request(&queue, number, 1)).await.expect("it claims").jobs);
    }
    server.say("claim, one by one", 2_000).await;
    for job in &held {
        assert!(store.apply(vec![complete(job)]).await.expect("it settles").value[0].is_done());
    }
    server.say("complete, one by one", 2_000).await;
    store.close().await.expect("it closes");
    clean_up(&url, &space.namespace).await.expect("it cleans up");
}
