//! `verify` finds contradictions: each kind of damage is done by hand, and must be reported.

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{
    ClaimRequest, ContentType, Failure, Headers, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span,
    Storage, StorageExt, Tag, Tags, WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use queue_redis::RedisStorage;
use redis::Cmd;

/// Seqs are six bytes.
const FIRST: &[u8] = &[0, 0, 0, 0, 0, 1];
const SECOND: &[u8] = &[0, 0, 0, 0, 0, 2];
const FOURTH: &[u8] = &[0, 0, 0, 0, 0, 4];
/// The field of the failed job's attempts.
const ATTEMPTS: &[u8] = &[0, 0, 0, 0, 0, 5, b'a'];
const STRANGE: &[u8] = &[0, 0, 0, 0, 0, 9];
/// A key that belongs to no queue.
const SHARED_NAMES: &str = "names";

fn text(bytes: &'static str) -> Payload {
    Payload::new(bytes, ContentType::from_static("text/plain"))
}

/// Stores five jobs: a completed one, a leased one, a ready one, a scheduled one with a tag and a
/// header, and a failed one, which is claimed first.
async fn one_of_each(store: &RedisStorage) {
    let queue = QueueName::from_static("q");
    let job = |id| NewJob::new(JobId::from_static(id), Kind::unnamed(), text("payload"));
    let tags = Tags::new([Tag::new("tenant-7").expect("valid")]).expect("one");
    let headers = Headers::new([("tenant", "7")]).expect("one");
    let scheduled = job("d").with_delay(Span::from_secs(900)).with_tags(tags).with_headers(headers);
    let jobs = vec![job("a"), job("b"), job("c"), scheduled, job("f").with_priority(-1)];
    store.enqueue(&queue, vec![jobs]).await.expect("it enqueues");
    let worker = WorkerId::from_static("worker");
    let request = ClaimRequest::new(queue, worker, 3, Span::from_secs(900), &SeededRng::new(1));
    let claimed = store.claim(request).await.expect("it claims").jobs;
    let (token, failure) = (claimed[0].token, Failure::new("Refused", "no"));
    let event = Event::Fail {
        token,
        failure,
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    store.settle(&claimed[0].record.meta, event, &Policy::default()).await.expect("it settles");
    let event = Event::Complete {
        token: claimed[1].token,
        // Small results are kept in the record.
        result: Payload::new("r".repeat(200), ContentType::from_static("text/plain")),
        retention: None,
        then: Vec::new(),
    };
    store.settle(&claimed[1].record.meta, event, &Policy::default()).await.expect("it settles");
}

fn damages(key: impl Fn(&str) -> String) -> Vec<(Cmd, &'static str)> {
    let command = |name: &str, part: &str, args: &[&[u8]]| {
        let mut command = redis::cmd(name);
        command.arg(key(part)).arg(args);
        command
    };
    let tagged = |seq: &[u8]| [b"tenant-7\0", seq].concat();
    let ready = [&[0x80, 0, 0, 0, 0, 0, 0, 1][..], STRANGE].concat();
    vec![
        (command("HINCRBY", "meta", &[b"jobs0", b"1"]), "are counted as queued"),
        (command("HSET", "meta", &[b"seq", b"1"]), "beyond the last seq"),
        (command("HSET", "meta", &[b"number", b"77"]), "its number is 77"),
        (command("HDEL", "ids", &[b"a"]), "ids has None"),
        (command("HSET", "ids", &[b"x", STRANGE]), "ids has"),
        (command("HDEL", "state", &[SECOND]), "leases has"),
        (command("HSET", "state", &[SECOND, b"short"]), "record 2 cannot be read"),
        (command("HDEL", "payload", &[FIRST]), "payload has None"),
        (command("HDEL", "outcome", &[FIRST]), "outcome and the records differ"),
        (command("HSET", "outcome", &[STRANGE, b"x"]), "outcome and the records differ"),
        (command("DEL", "ready", &[]), "stands in 0 of ready"),
        (command("ZADD", "ready", &[b"0", &ready]), "which no waiting record has"),
        (command("DEL", "later", &[]), "stands in 0 of ready"),
        (command("ZREM", "leases", &[SECOND]), "leases has None"),
        (command("ZADD", "leases", &[b"5", SECOND]), "the records say"),
        (command("ZADD", "done", &[b"5", FIRST]), "the records say"),
        (command("ZADD", "done", &[b"5", STRANGE]), "which no record has"),
        (command("HDEL", "outcome", &[ATTEMPTS]), "outcome and the records differ"),
        (command("HSET", "outcome", &[ATTEMPTS, b"\x01"]), "the attempts of record 5"),
        (command("HSET", "payload", &[FOURTH, b"\x0atext/plainpayloadno tab"]), "is no headers"),
        (command("DEL", "listed", &[]), "listed has None"),
        (command("ZREM", "listed", &[&tagged(FOURTH)]), "listed has None"),
        (command("ZADD", "listed", &[b"0", &tagged(STRANGE)]), "which no record has"),
        (command("ZADD", "listed", &[b"0", b"\x04\0\0\0\0\0\x01\0\0\0\0\0\x05"]), "which no record has"),
        (command("ZADD", "listed", &[b"1", &tagged(FOURTH)]), "the records say"),
        (command("DEL", "blocks", &[]), "blocks has None"),
        (command("HINCRBY", "fill", &[b"0", b"1"]), "fill has"),
        (command("DEL", SHARED_NAMES, &[]), "is missing in the list of queues"),
    ]
}

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    let Some(url) = REDIS.url() else { return };
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut server = connect(&client).await.expect("it connects");
    let count = damages(str::to_owned).len();
    for number in 0..count {
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        one_of_each(&store).await;
        assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
        let key = |part: &str| {
            let tag = if part == SHARED_NAMES { "*" } else { "q" };
            format!("{}:{{{tag}}}:{part}", space.namespace)
        };
        let (damage, told) = damages(key).swap_remove(number);
        damage.query_async::<redis::Value>(&mut server).await.expect("the damage is done");
        let findings = store.verify().await.expect("it verifies");
        assert!(findings.iter().any(|finding| finding.contains(told)), "{number}, {told}: {findings:?}");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
}
