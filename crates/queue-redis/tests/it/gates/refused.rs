//! A server that takes no writes: a step with signals is whole or not at all.

use crate::server::{Fsync, Server};
use queue_core::{
    Certainty, ClaimRequest, ClaimedJob, ContentType, Detail, EndSignal, ErrorKind, Gate, JobId, Kind,
    NewGate, NewJob, Payload, QueueName, SeededRng, Span, Storage, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_redis::{RedisOptions, RedisStorage};
use redis::cmd;
use std::time::Duration;
use tokio::time::sleep;

const MEMBERS: usize = 3;

fn job(id: &str) -> NewJob {
    let payload = Payload::new("x".repeat(1_000), ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload)
}

fn member(id: &str) -> NewJob {
    job(id).with_end_signals([EndSignal { raises: true, ..EndSignal::to(JobId::from_static("sum")) }])
}

/// A job behind a gate and its members, which are held.
async fn held(store: &RedisStorage, queue: &QueueName) -> Vec<ClaimedJob> {
    let sum = job("sum").with_gate(NewGate { needs: 1, is_sealed: true, timeout: None });
    let members = (0..MEMBERS).map(|nth| member(&nth.to_string()));
    store.enqueue(queue, vec![[sum].into_iter().chain(members).collect()]).await.expect("it enqueues");
    let worker = WorkerId::from_static("w");
    let request = ClaimRequest::new(queue.clone(), worker, 9, Span::from_secs(900), &SeededRng::new(1));
    let held = store.claim(request).await.expect("it claims").jobs;
    assert_eq!(held.len(), MEMBERS);
    held
}

/// A completion that enqueues a child.
fn complete(held: &ClaimedJob, child: &str) -> Transition {
    let result = Payload::new("1", ContentType::from_static("text/plain"));
    let event = Event::Complete { token: held.token, result, retention: None, then: vec![member(child)] };
    decide(&held.record.meta, event, &Policy::default()).expect("it is held")
}

async fn gate(store: &RedisStorage, queue: &QueueName) -> Gate {
    let read = store.get(queue, &[JobId::from_static("sum")], Detail::Meta).await.expect("it reads");
    *read.value[0].as_ref().expect("it is there").meta.gate.as_deref().expect("it has one")
}

/// Every key with a digest of what it holds.
async fn contents(server: &Server) -> Vec<(String, String)> {
    let mut keys: Vec<String> = server.ask(cmd("KEYS").arg("jq:{q}:*")).await.expect("keys");
    keys.sort_unstable();
    let mut all = Vec::new();
    for key in keys {
        let digest: Vec<String> =
            server.ask(cmd("DEBUG").arg("DIGEST-VALUE").arg(&key)).await.expect("a digest");
        all.push((key, digest.concat()));
    }
    all
}

async fn start(settings: &[&str]) -> (Server, RedisStorage, QueueName, Vec<ClaimedJob>) {
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    let server = Server::start_with(Fsync::Never, |_| {
        [vec!["--enable-debug-command".to_owned(), "yes".to_owned()], settings.clone()].concat()
    })
    .await;
    let store = RedisStorage::open(RedisOptions::new(&server.url()).expect("valid")).await.expect("it opens");
    let queue = QueueName::from_static("q");
    let held = held(&store, &queue).await;
    (server, store, queue, held)
}

/// What a server that refuses every write leaves of a member's end, its child and of a new member:
/// nothing.
async fn assert_nothing_is_written(
    server: &Server,
    store: &RedisStorage,
    queue: &QueueName,
    held: &[ClaimedJob],
) {
    let before = contents(server).await;
    let error = store.apply(vec![complete(&held[0], "child")]).await.expect_err("it takes no write");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    let error = store.enqueue(queue, vec![vec![member("late")]]).await.expect_err("it takes no write");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert_eq!(contents(server).await, before);
}

async fn assert_goes_on(store: &RedisStorage, queue: &QueueName, held: &[ClaimedJob]) {
    let answers = store.apply(vec![complete(&held[0], "child")]).await.expect("it settles").value;
    assert!(answers[0].is_done());
    let gate = gate(store, queue).await;
    assert_eq!((gate.needs, gate.signals), (1 + 1 + MEMBERS as u64, 1));
    assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_without_its_replicas_writes_nothing_of_a_step_with_signals() {
    let (server, store, queue, held) = start(&[]).await;
    server.run(cmd("CONFIG").arg("SET").arg("min-replicas-to-write").arg(1)).await;
    assert_nothing_is_written(&server, &store, &queue, &held).await;
    server.run(cmd("CONFIG").arg("SET").arg("min-replicas-to-write").arg(0)).await;
    assert_goes_on(&store, &queue, &held).await;
}

#[tokio::test]
async fn a_server_that_cannot_save_writes_nothing_of_a_step_with_signals() {
    let (server, store, queue, held) = start(&["--dbfilename", "taken.rdb"]).await;
    // No snapshot can take the place of a directory.
    server.run(cmd("CONFIG").arg("SET").arg("save").arg("3600 1")).await;
    std::fs::create_dir_all(server.directory().join("taken.rdb/full")).expect("it is made");
    server.run(&mut cmd("BGSAVE")).await;
    while server.persistence().await.contains("rdb_last_bgsave_status:ok") {
        sleep(Duration::from_millis(20)).await;
    }
    assert_nothing_is_written(&server, &store, &queue, &held).await;
    server.run(cmd("CONFIG").arg("SET").arg("stop-writes-on-bgsave-error").arg("no")).await;
    assert_goes_on(&store, &queue, &held).await;
}

/// Settles are allowed on a full server, so that workers drain it: their signals are counted, and
/// their children come, whole.
#[tokio::test]
async fn a_full_server_refuses_members_and_counts_the_signals_of_the_ones_that_end() {
    let (server, store, queue, held) = start(&[]).await;
    server.run(cmd("CONFIG").arg("SET").arg("maxmemory").arg("1mb")).await;
    let before = contents(&server).await;
    let error = store.enqueue(&queue, vec![vec![member("late")]]).await.expect_err("it is full");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert_eq!(contents(&server).await, before);
    assert_goes_on(&store, &queue, &held).await;
}
