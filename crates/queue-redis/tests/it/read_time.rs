//! The cost of reads for the server beside many other jobs. It is no test: it asserts nothing about
//! time.
//!
//! ```sh
//! QUEUE_TEST_JOBS=1000000 cargo test --release -p queue-redis --test it -- --ignored --nocapture read_time
//! ```
#![expect(clippy::cast_precision_loss, clippy::disallowed_methods, reason = "figures for people")]

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, Detail, Direction, JobId, Kind, ListFilter, ListQuery, NewJob,
    Payload, QueueName, QueuesQuery, Retention, SeededRng, Span, State, Storage, StorageExt, Walk, WorkerId,
    lifecycle::{Cause, Event, Policy, Transition, decide},
};
use queue_redis::RedisStorage;
use redis::aio::MultiplexedConnection;
use std::{env, time::Instant};

const BATCH: usize = 1_000;
/// The jobs that failed for good, spread over all.
const FAILED: usize = 100;
const ROUNDS: usize = 20;

struct Server(MultiplexedConnection);

impl Server {
    async fn scripts(&mut self) -> (u64, u64) {
        let text: String =
            redis::cmd("INFO").arg("commandstats").query_async(&mut self.0).await.expect("it answers");
        let line =
            text.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:")).unwrap_or("calls=0,usec=0");
        let of = |name: &str| {
            let part = line.split(',').find_map(|part| part.strip_prefix(name)).expect("it is told");
            part.parse::<u64>().expect("a number")
        };
        (of("calls="), of("usec="))
    }

    async fn reset(&mut self) {
        redis::cmd("CONFIG").arg("RESETSTAT").query_async::<()>(&mut self.0).await.expect("it resets");
    }
}

fn job(number: usize) -> NewJob {
    let payload = Payload::new(vec![b'x'; 100], ContentType::from_static("application/json"));
    let id = JobId::new(format!("{number:032x}")).expect("valid");
    NewJob::new(id, Kind::from_static("email"), payload).with_retention(Retention::Forever)
}

fn end(job: &ClaimedJob, fails: bool) -> Transition {
    let token = job.token;
    let then = Vec::new();
    let retention = None;
    let event = if fails {
        let failure = queue_core::Failure::new("Refused", "the mail server said no");
        Event::Fail { token, failure, cause: Cause::Terminal, delay: None, retention, then }
    } else {
        let result = Payload::new("null", ContentType::from_static("application/json"));
        Event::Complete { token, result, retention, then }
    };
    decide(&job.record.meta, event, &Policy::default()).expect("it is held")
}

async fn fill(store: &RedisStorage, queue: &QueueName, jobs: usize) {
    let worker = WorkerId::from_static("worker-of-a-host-1");
    for from in (0..jobs).step_by(BATCH) {
        let until = jobs.min(from + BATCH);
        store.enqueue(queue, vec![(from..until).map(job).collect()]).await.expect("it enqueues");
        let rng = SeededRng::new(from as u64);
        let request = ClaimRequest::new(queue.clone(), worker.clone(), BATCH, Span::from_secs(30), &rng);
        let held = store.claim(request).await.expect("it claims").jobs;
        let every = (jobs / FAILED).max(1);
        let ends = held.iter().enumerate().map(|(at, job)| end(job, (from + at) % every == every - 1));
        store.apply(ends.collect()).await.expect("it settles");
    }
}

#[derive(Clone, Copy)]
enum Read {
    Failed,
    Small,
    Counts,
    Queues,
    Show,
    Attempts,
    Missing,
    Whole,
}

async fn read(store: &RedisStorage, many: &QueueName, small: &QueueName, what: Read) {
    match what {
        Read::Failed => {
            let newest = Walk::State(State::Failed, Direction::NewestFirst);
            page(store, ListQuery::new(many.clone(), newest, 50)).await;
        }
        Read::Missing => {
            let filter = ListFilter { id_prefix: Some("x".to_owned()), ..ListFilter::default() };
            let all = Walk::All(Direction::NewestFirst);
            drop(store.list(ListQuery::new(many.clone(), all, 50).matching(filter)).await.expect("it lists"));
        }
        Read::Whole => {
            let all = ListQuery::all(many.clone(), 10_000);
            drop(store.list(all).await.expect("it lists"));
        }
        Read::Attempts => {
            let id = JobId::new(format!("{:032x}", FAILED - 1)).expect("valid");
            drop(store.attempts_of(many, &id).await.expect("it reads"));
        }
        Read::Small => page(store, ListQuery::all(small.clone(), 50)).await,
        Read::Counts => drop(store.counts(many).await.expect("it counts")),
        Read::Queues => drop(store.queues(QueuesQuery::all(100)).await.expect("it lists them")),
        Read::Show => {
            let ids = [JobId::new(format!("{FAILED:032x}")).expect("valid")];
            drop(store.get(many, &ids, Detail::Full).await.expect("it reads"));
        }
    }
}

/// Reads as many pages as it takes to show fifty jobs.
async fn page(store: &RedisStorage, mut query: ListQuery) {
    let mut shown = 0;
    loop {
        let page = store.list(query.clone()).await.expect("it lists");
        shown += page.jobs.len();
        match page.next {
            Some(next) if shown < 50 => query.after = Some(next),
            _ => return,
        }
    }
}

#[tokio::test]
#[ignore = "a measurement"]
async fn what_reads_cost_beside_many_jobs() {
    let Some(url) = REDIS.url() else { return };
    let jobs = env::var("QUEUE_TEST_JOBS").map_or(1_000, |text| text.parse().expect("a number"));
    let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
    let store = RedisStorage::open(space.options()).await.expect("it opens");
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut server = Server(connect(&client).await.expect("it connects"));
    let (many, small) = (QueueName::from_static("many"), QueueName::from_static("small"));
    fill(&store, &many, jobs).await;
    store.enqueue(&small, vec![vec![job(1)]]).await.expect("it enqueues");
    let reads = [
        ("page of failed", Read::Failed),
        ("page of a small queue", Read::Small),
        ("counts", Read::Counts),
        ("queues", Read::Queues),
        ("show", Read::Show),
        ("attempts", Read::Attempts),
        ("a page that shows none", Read::Missing),
        ("a page of 2,000", Read::Whole),
    ];
    for (name, what) in reads {
        read(&store, &many, &small, what).await;
        server.reset().await;
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            read(&store, &many, &small, what).await;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_unstable_by(f64::total_cmp);
        let (calls, usec) = server.scripts().await;
        println!(
            "{jobs:>8} jobs, {name:<24} {:8.2} ms median, {:8.2} ms longest; {:4.1} scripts, {:10.1} us of them",
            times[ROUNDS / 2],
            times[ROUNDS - 1],
            calls as f64 / ROUNDS as f64,
            usec as f64 / ROUNDS as f64
        );
    }
    store.close().await.expect("it closes");
    clean_up(&url, &space.namespace).await.expect("it cleans up");
}
