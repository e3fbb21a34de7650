//! A job that is stored, claimed or completed by itself goes a shorter way through the script, and
//! leaves the same bytes.

use crate::harness::{REDIS, Space, clean_up, fresh_namespace, masters};
use queue_core::{
    Changed, ClaimRequest, Claimed, ClaimedJob, ContentType, Failure, Interest, JobId, Kind, LeaseToken,
    ManualClock, NewJob, Payload, QueueName, SeededRng, Span, Storage, StorageExt, Timestamp, WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use queue_redis::RedisStorage;
use redis::{Cmd, aio::MultiplexedConnection, cmd};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// What stands under each key, by the key's name behind the namespace.
type Contents = BTreeMap<String, Vec<Vec<u8>>>;

fn jobs() -> Vec<NewJob> {
    let payload = || Payload::new("payload", ContentType::from_static("text/plain"));
    let job = |id| NewJob::new(JobId::from_static(id), Kind::from_static("mail"), payload());
    let large = Payload::new(vec![7; 70_000], ContentType::from_static("x"));
    vec![
        job("plain"),
        job("awaited").awaited(),
        job("first").with_priority(i16::MIN),
        job("last").with_priority(i16::MAX),
        NewJob::new(JobId::from_static("large"), Kind::unnamed(), large),
        // The id is taken.
        job("plain"),
    ]
}

/// Claims every job, and completes each in a call of its own.
async fn complete_each(store: &RedisStorage, queue: &QueueName) -> Vec<Changed> {
    let worker = WorkerId::from_static("worker");
    let request = ClaimRequest::new(queue.clone(), worker, 9, Span::from_secs(900), &SeededRng::new(1));
    let mut answers = Vec::new();
    for ClaimedJob { record, token } in store.claim(request).await.expect("it claims").jobs {
        // One that is large stands by itself.
        let len = if record.meta.id.as_str() == "large" { 70_000 } else { 9 };
        let result = Payload::new(vec![b'r'; len], ContentType::from_static("text/plain"));
        for token in [LeaseToken::from_bytes([9; 16]), token, token] {
            let result = result.clone();
            let event = Event::Complete { token, result, retention: None, then: Vec::new() };
            answers.push(store.settle(&record.meta, event, &Policy::default()).await.expect("it answers"));
        }
    }
    answers
}

async fn contents(url: &str, namespace: &str) -> Contents {
    let mut server = masters(url).await.expect("it connects").remove(0);
    let keys: Vec<String> = ask(&mut server, cmd("KEYS").arg(format!("{namespace}:*"))).await;
    let mut all = Contents::new();
    for key in keys {
        let kind: String = ask(&mut server, cmd("TYPE").arg(&key)).await;
        let mut values: Vec<Vec<u8>> = match kind.as_str() {
            "hash" => {
                let pairs: Vec<(Vec<u8>, Vec<u8>)> = ask(&mut server, cmd("HGETALL").arg(&key)).await;
                let of_jobs = pairs.into_iter().filter(|(field, _)| field != b"feed");
                of_jobs.map(|(field, value)| [field, b" = ".to_vec(), value].concat()).collect()
            }
            "zset" => ask(&mut server, cmd("ZRANGE").arg(&key).arg(0).arg(-1).arg("WITHSCORES")).await,
            _ => vec![ask(&mut server, cmd("GET").arg(&key)).await],
        };
        if kind == "hash" {
            values.sort_unstable();
        }
        all.insert(key[namespace.len()..].to_owned(), values);
    }
    all
}

async fn ask<T: redis::FromRedisValue>(server: &mut MultiplexedConnection, command: &Cmd) -> T {
    command.query_async(server).await.expect("it answers")
}

#[tokio::test]
async fn a_job_by_itself_leaves_the_bytes_that_it_leaves_among_others() {
    let Some(url) = REDIS.url() else { return };
    let queue = QueueName::from_static("q");
    let mut found = Vec::new();
    for is_fed in [false, true] {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_700_000_000_000)));
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: Some(clock) };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        // Where every change has a follower, all jobs take the long way.
        let _feed = if is_fed { store.subscribe(&queue, Interest::All).await.ok() } else { None };
        let mut answers = Vec::new();
        for job in jobs() {
            answers.push(store.enqueue(&queue, vec![vec![job]]).await.expect("it enqueues").value);
        }
        let waiting = contents(&url, &space.namespace).await;
        let settled = complete_each(&store, &queue).await;
        assert_eq!(
            settled.iter().filter(|answer| matches!(answer, Changed::Done(_))).count(),
            10,
            "{settled:?}"
        );
        assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
        found.push((answers, waiting, settled, contents(&url, &space.namespace).await));
        store.close().await.expect("it closes");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
    assert!(found[0].1.len() > 5, "{:?}", found[0].1.keys());
    assert_eq!(found[0], found[1]);
}

/// Claims what is due at a time, and fails every other job, to be claimed again.
async fn claim_each(store: &RedisStorage, clock: &ManualClock, queue: &QueueName) -> Vec<Claimed> {
    let worker = WorkerId::from_static("worker");
    let (rng, policy) = (SeededRng::new(1), Policy::default());
    let mut answers = Vec::new();
    for (at, job) in jobs().into_iter().enumerate() {
        store.enqueue(queue, vec![vec![job]]).await.expect("it enqueues");
        let claim =
            |limit| ClaimRequest::new(queue.clone(), worker.clone(), limit, Span::from_secs(900), &rng);
        // A claim that has no room leases nothing.
        answers.push(store.claim(ClaimRequest { limit: 0, ..claim(1) }).await.expect("it answers"));
        let found = store.claim(claim(1 + at)).await.expect("it claims");
        if let [ClaimedJob { record, token }] = found.jobs.as_slice()
            && at % 2 == 1
        {
            let failure = Failure::new("Injected", "part of the test");
            let delay = Some(Span::from_millis(50));
            let (token, cause) = (*token, Cause::Retryable);
            let event = Event::Fail { token, failure, cause, delay, retention: None, then: Vec::new() };
            store.settle(&record.meta, event, &policy).await.expect("it answers");
        }
        answers.push(found);
        // The failed one is not due yet, and then it is.
        answers.push(store.claim(claim(7)).await.expect("it claims"));
        clock.advance(Duration::from_millis(50));
        answers.push(store.claim(claim(7)).await.expect("it claims"));
    }
    answers
}

#[tokio::test]
async fn a_claim_of_one_job_leaves_the_bytes_and_the_answer_of_any_claim() {
    let Some(url) = REDIS.url() else { return };
    let queue = QueueName::from_static("q");
    let mut found = Vec::new();
    for is_fed in [false, true] {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_700_000_000_000)));
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: Some(clock.clone()) };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        let _feed = if is_fed { store.subscribe(&queue, Interest::All).await.ok() } else { None };
        let answers = claim_each(&store, &clock, &queue).await;
        // Five have different ids, and two of them are claimed again after a failure.
        assert_eq!(answers.iter().map(|claimed| claimed.jobs.len()).sum::<usize>(), 7);
        assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
        found.push((answers, contents(&url, &space.namespace).await));
        store.close().await.expect("it closes");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
    assert_eq!(found[0], found[1]);
}
