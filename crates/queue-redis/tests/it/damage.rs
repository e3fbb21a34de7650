//! Verbs on a server whose keys and connections are damaged.

use crate::server::{Fsync, Server};
use futures_util::StreamExt as _;
use queue_core::{
    Certainty, ClaimRequest, ContentType, EventStream, Hint, Interest, JobId, Kind, ListQuery, ManualClock,
    NewJob, Payload, QueueName, SeededRng, Span, State, Storage, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_redis::{RedisOptions, RedisStorage};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// What has not happened within this time will not happen.
const NEVER: Duration = Duration::from_secs(60);
/// More jobs than one script takes at once.
const MANY: usize = 1_001;

async fn open(server: &Server) -> RedisStorage {
    RedisStorage::open(options(server)).await.expect("it opens")
}

fn options(server: &Server) -> RedisOptions {
    RedisOptions::new(&server.url()).expect("valid")
}

async fn enqueue(store: &RedisStorage, queue: &QueueName, ids: std::ops::Range<usize>) {
    let payload = Payload::new("x", ContentType::from_static("text/plain"));
    let job =
        |id: usize| NewJob::new(JobId::new(id.to_string()).expect("valid"), Kind::unnamed(), payload.clone());
    store.enqueue(queue, vec![ids.map(job).collect()]).await.expect("they are enqueued");
}

/// Enqueues and claims jobs, and returns their completions.
async fn completions(store: &RedisStorage, queue: &QueueName, count: usize) -> Vec<Transition> {
    enqueue(store, queue, 0..count).await;
    let mut completions = Vec::new();
    while completions.len() < count {
        let claimed = store.claim(request(queue, completions.len())).await.expect("it claims");
        completions.extend(claimed.jobs.iter().map(|job| {
            let result = Payload::new("x", ContentType::from_static("text/plain"));
            let event = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
            decide(&job.record.meta, event, &Policy::default()).expect("it is held")
        }));
    }
    completions
}

fn request(queue: &QueueName, seed: usize) -> ClaimRequest {
    let worker = WorkerId::from_static("w");
    ClaimRequest::new(queue.clone(), worker, 1_000, Span::from_secs(30), &SeededRng::new(seed as u64))
}

#[tokio::test]
async fn a_queue_that_fails_leaves_no_other_half_applied() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    let broken = QueueName::from_static("a");
    let whole = QueueName::from_static("b");
    let mut batch = completions(&store, &broken, 1).await;
    batch.extend(completions(&store, &whole, MANY).await);
    server.run(redis::cmd("DEL").arg("jq:{a}:state")).await;
    server.run(redis::cmd("SET").arg("jq:{a}:state").arg("something else")).await;
    let error = store.apply(batch).await.expect_err("one queue is broken");
    assert_eq!(error.certainty(), Certainty::Unknown, "{error}");
    assert_eq!(store.counts(&whole).await.expect("it counts").of(State::Completed), MANY as u64);
}

/// Numbers of jobs must be compared as numbers, not as text: the order of text depends on the
/// server's locale, in many of which `a` (97) comes before `B` (66).
#[tokio::test]
async fn pages_of_lapsed_leases_have_each_of_them_once() {
    let server = Server::start(Fsync::Never).await;
    let clock = Arc::new(ManualClock::default());
    let store = RedisStorage::open(options(&server).clock(clock.clone())).await.expect("it opens");
    let queue = QueueName::from_static("q");
    completions(&store, &queue, 300).await;
    clock.advance(Duration::from_secs(31));
    let (mut query, mut seqs) = (ListQuery::lapsed(queue, 33), Vec::new());
    loop {
        let page = store.list(query.clone()).await.expect("it lists");
        seqs.extend(page.jobs.iter().map(|job| job.seq));
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    assert_eq!(seqs.len(), 300);
    assert!(seqs.windows(2).all(|two| two[0] < two[1]), "{seqs:?}");
}

/// Waits until the stream says that something was missed, or that the job changed.
async fn hears_of(events: &mut EventStream, id: Option<&str>) {
    let heard = async {
        loop {
            match events.next().await.expect("it is open") {
                Hint::Missed => return,
                Hint::Job(change) if id.is_some_and(|id| change.id.as_str() == id) => return,
                Hint::Job(_) | Hint::Completed(_) | Hint::Wake => {}
            }
        }
    };
    timeout(NEVER, heard).await.expect("it is told");
}

/// The server has forgotten the request for every change, and the connection on which it is to be
/// repeated is broken too.
#[tokio::test]
async fn a_change_that_nobody_asked_for_after_a_break_is_told_as_missed() {
    let server = Server::start(Fsync::Never).await;
    let (store, queue) = (open(&server).await, QueueName::from_static("q"));
    enqueue(&store, &queue, 0..1).await;
    let mut events = store.subscribe(&queue, Interest::All).await.expect("it hears");
    enqueue(&store, &queue, 1..2).await;
    hears_of(&mut events, Some("1")).await;
    server.run(redis::cmd("HDEL").arg("jq:{q}:meta").arg("feed")).await;
    server.kill_connections().await;
    hears_of(&mut events, None).await;
    enqueue(&open(&server).await, &queue, 2..3).await;
    hears_of(&mut events, Some("2")).await;
}
