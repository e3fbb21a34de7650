//! A job without a gate and without end signals costs what it cost before there were any: the same
//! bytes, and the same commands.

use crate::server::{Fsync, Server};
use queue_core::{
    ClaimRequest, ContentType, JobId, Kind, LeaseToken, ManualClock, NewJob, Payload, QueueName, Span,
    Storage, Timestamp, WorkerId,
    lifecycle::{Event, Policy, decide},
};
use queue_redis::{RedisOptions, RedisStorage};
use redis::cmd;
use std::{collections::BTreeMap, sync::Arc};

const NOW: Timestamp = Timestamp::from_millis(0x0101_0101_0101);
const TOKEN: LeaseToken = LeaseToken::from_bytes(*b"0123456789abcdef");
const FIRST: &[u8] = &[0, 0, 0, 0, 0, 1];

async fn open(server: &Server) -> RedisStorage {
    let options = RedisOptions::new(&server.url()).expect("valid").clock(Arc::new(ManualClock::new(NOW)));
    RedisStorage::open(options).await.expect("it opens")
}

fn jobs(ids: &[&'static str]) -> Vec<NewJob> {
    let payload = || Payload::new("{}", ContentType::from_static("application/json"));
    ids.iter().map(|id| NewJob::new(JobId::from_static(id), Kind::from_static("mail"), payload())).collect()
}

/// Enqueues these jobs, claims and completes them, each in one call.
async fn run(store: &RedisStorage, ids: &[&'static str], seen: impl AsyncFn()) {
    let queue = QueueName::from_static("q");
    store.enqueue(&queue, vec![jobs(ids)]).await.expect("it enqueues");
    seen().await;
    let (worker, lease, not_after) = (WorkerId::from_static("w"), Span::from_secs(1), None);
    let (limit, bytes_max) = (ids.len(), 1 << 20);
    let limited_max = usize::MAX;
    let request =
        ClaimRequest { queue, worker, limit, lease, token: TOKEN, not_after, bytes_max, limited_max };
    let claimed = store.claim(request).await.expect("it claims").jobs;
    seen().await;
    let complete = |job: &queue_core::ClaimedJob| {
        let result = Payload::new("1", ContentType::from_static("text/plain"));
        let event = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
        decide(&job.record.meta, event, &Policy::default()).expect("it is held")
    };
    let applied = store.apply(claimed.iter().map(complete).collect()).await.expect("it settles").value;
    assert!(applied.len() == ids.len() && applied.iter().all(queue_core::Applied::is_done));
    seen().await;
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[tokio::test]
async fn the_record_of_a_plain_job_is_the_same_byte_for_byte() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    let records = std::cell::RefCell::new(Vec::new());
    run(&store, &["a"], async || {
        let record: Vec<u8> = server.ask(cmd("HGET").arg("jq:{q}:state").arg(FIRST)).await.expect("a record");
        records.borrow_mut().push(hex(&record));
    })
    .await;
    let now = "010101010101";
    let tail = format!("8000{now}{now}000000020161046d61696c");
    let front = |state, changed: &str| format!("{state}{changed}");
    let zeros = |bytes: usize| "00".repeat(bytes);
    let never = "ffffffffffff";
    let token = hex(TOKEN.as_bytes());
    let expected = [
        front("00", &format!("000000{}01{}{}{never}{}{}", zeros(5), zeros(6), zeros(14), zeros(7), zeros(7))),
        front(
            "01",
            &format!(
                "000000{}02{}01{}0101010104e9{never}{now}001001{}{token}77",
                zeros(5),
                zeros(5),
                zeros(8),
                zeros(5)
            ),
        ),
        front(
            "03",
            &format!(
                "240001{}03{}01{}{now}01010137ef81{now}001000{}{token}",
                zeros(5),
                zeros(5),
                zeros(8),
                zeros(5)
            ),
        ),
    ];
    let result = hex(b"\x0atext/plain1");
    let expected = expected.map(|front| format!("{front}{tail}"));
    assert_eq!(*records.borrow(), [&expected[0][..], &expected[1], &format!("{}{result}", expected[2])]);
    let payload: Vec<u8> = server.ask(cmd("HGET").arg("jq:{q}:payload").arg(FIRST)).await.expect("a payload");
    assert_eq!(payload, b"\x10application/json{}");
}

#[tokio::test]
async fn plain_jobs_take_the_commands_that_they_took() {
    let server = Server::start(Fsync::Never).await;
    let store = open(&server).await;
    // The queue gets its number, and the scripts are known.
    run(&store, &["first"], async || {}).await;
    run(&store, &["x", "y"], async || {}).await;
    let one = [
        ("get", 3),
        ("hget", 4),
        ("hincrby", 6),
        ("hmget", 3),
        ("hset", 6),
        ("publish", 1),
        ("time", 3),
        ("zadd", 3),
        ("zrange", 1),
        ("zrangebyscore", 2),
        ("zrem", 2),
    ];
    let three = [
        ("get", 3),
        ("hincrby", 6),
        ("hmget", 7),
        ("hset", 6),
        ("publish", 1),
        ("time", 3),
        ("zadd", 3),
        ("zrange", 3),
        ("zrangebyscore", 3),
        ("zremrangebyrank", 1),
        ("zrem", 1),
    ];
    for (ids, expected) in [(&["a"][..], &one[..]), (&["b", "c", "d"], &three)] {
        server.run(cmd("CONFIG").arg("RESETSTAT")).await;
        run(&store, ids, async || {}).await;
        let expected = expected.iter().filter(|(_, calls)| *calls > 0);
        let expected: BTreeMap<_, _> = expected.map(|(name, calls)| ((*name).to_owned(), *calls)).collect();
        assert_eq!(server.calls_of_scripts().await, expected, "{ids:?}");
    }
}
