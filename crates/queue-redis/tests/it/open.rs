//! What a store says about servers on which it cannot or should not keep jobs, and about calls that
//! fail.

use crate::server::{Fsync, Server};
use queue_core::{
    Certainty, ClaimRequest, ContentType, Durability, ErrorKind, JobId, Kind, ManualClock, NewJob, Payload,
    QueueName, SeededRng, Span, Storage, StorageExt, Timestamp, WorkerId,
    lifecycle::{Event, Policy, decide},
};
use queue_redis::{Eviction, RedisOptions, RedisStorage};
use std::{sync::Arc, time::Duration};

fn options(server: &Server) -> RedisOptions {
    RedisOptions::new(&server.url()).expect("valid").response_timeout(Duration::from_secs(5))
}

fn group(bytes: usize) -> Vec<Vec<NewJob>> {
    let payload = Payload::new(vec![b'x'; bytes], ContentType::from_static("text/plain"));
    vec![vec![NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload)]]
}

fn request(queue: &QueueName, limit: usize) -> ClaimRequest {
    let worker = WorkerId::from_static("w");
    ClaimRequest::new(queue.clone(), worker, limit, Span::from_secs(30), &SeededRng::new(1))
}

async fn refused(options: RedisOptions) -> ErrorKind {
    RedisStorage::open(options).await.expect_err("it is refused").kind()
}

#[tokio::test]
async fn a_server_that_evicts_keys_is_refused_unless_that_is_allowed() {
    let server = Server::start(Fsync::Never).await;
    server.run(redis::cmd("CONFIG").arg("SET").arg("maxmemory-policy").arg("allkeys-lru")).await;
    assert_eq!(refused(options(&server)).await, ErrorKind::Unsupported);
    assert!(RedisStorage::open(options(&server).eviction(Eviction::Allow)).await.is_ok());
    assert!(
        RedisStorage::open(RedisOptions::new(&format!("{}?eviction=allow", server.url())).expect("valid"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_namespace_of_another_layout_is_refused_and_others_are_not() {
    let server = Server::start(Fsync::Never).await;
    let first = RedisStorage::open(options(&server)).await.expect("it is new");
    assert!(RedisStorage::open(options(&server)).await.is_ok(), "it has this version's layout");
    let other = options(&server).namespace("other").expect("valid");
    server.run(redis::cmd("SET").arg("other:{*}:layout").arg(1)).await;
    assert_eq!(refused(other).await, ErrorKind::Unsupported);
    first.close().await.expect("it closes");
}

#[tokio::test]
async fn a_replica_is_refused_and_a_master_that_became_one_too() {
    let (master, replica) = (Server::start(Fsync::Never).await, Server::start(Fsync::Never).await);
    let store = RedisStorage::open(options(&replica)).await.expect("it is a master as yet");
    let (_, port) =
        master.url().rsplit_once(':').map(|(host, port)| (host.to_owned(), port.to_owned())).expect("a port");
    replica.run(redis::cmd("REPLICAOF").arg("127.0.0.1").arg(port)).await;
    assert_eq!(refused(options(&replica)).await, ErrorKind::Unavailable);
    let error = store.enqueue(&QueueName::from_static("q"), group(1)).await.expect_err("it is a replica");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable_and_nothing_was_applied() {
    let server = Server::start(Fsync::Never).await;
    let store = RedisStorage::open(options(&server)).await.expect("it opens");
    let options = options(&server);
    drop(server);
    assert_eq!(refused(options).await, ErrorKind::Unavailable);
    let queue = QueueName::from_static("q");
    // The first call may notice only in use that its connection is broken.
    drop(store.counts(&queue).await);
    let error = store.enqueue(&queue, group(1)).await.expect_err("nobody is there");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    store.close().await.expect("closing needs no server");
}

#[tokio::test]
async fn a_server_that_stands_still_leaves_the_outcome_unknown() {
    let server = Server::start(Fsync::Never).await;
    let store = RedisStorage::open(options(&server).response_timeout(Duration::from_millis(200)))
        .await
        .expect("it opens");
    let queue = QueueName::from_static("q");
    store.counts(&queue).await.expect("it answers");
    server.signal("STOP");
    let error = store.counts(&queue).await.expect_err("it stands still");
    server.signal("CONT");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::Unknown), "{error}");
    store.counts(&queue).await.expect("it answers again");
}

#[tokio::test]
async fn a_wrong_password_is_invalid_and_not_repeated() {
    let server = Server::start(Fsync::Never).await;
    server.run(redis::cmd("CONFIG").arg("SET").arg("requirepass").arg("right")).await;
    let wrong = server.url().replace("redis://", "redis://default:sesame@");
    for url in [wrong, server.url()] {
        let error =
            RedisStorage::open(RedisOptions::new(&url).expect("valid")).await.expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    let right = server.url().replace("redis://", "redis://default:right@");
    assert!(RedisStorage::open(RedisOptions::new(&right).expect("valid")).await.is_ok());
}

#[tokio::test]
async fn a_full_server_refuses_jobs_and_lets_workers_drain_it() {
    let server = Server::start(Fsync::Never).await;
    let (store, queue) =
        (RedisStorage::open(options(&server)).await.expect("it opens"), QueueName::from_static("q"));
    store.enqueue(&queue, group(1000)).await.expect("there is room");
    server.run(redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg("1mb")).await;
    let error = store.enqueue(&queue, group(1)).await.expect_err("it is full");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert_eq!(store.claim(request(&queue, 1)).await.expect("it drains").jobs.len(), 1);
}

#[tokio::test]
async fn durability_is_what_the_server_is_set_to() {
    let server = Server::start(Fsync::Never).await;
    let durability =
        async || RedisStorage::open(options(&server)).await.expect("it opens").capabilities().durability;
    assert_eq!(durability().await, Durability::None);
    server.run(redis::cmd("CONFIG").arg("SET").arg("appendonly").arg("yes")).await;
    assert_eq!(durability().await, Durability::Process);
    server.run(redis::cmd("CONFIG").arg("SET").arg("appendfsync").arg("always")).await;
    assert_eq!(durability().await, Durability::Power);
}

/// The pool outlives the store.
#[cfg(feature = "deadpool")]
#[tokio::test]
async fn calls_go_over_a_pool_of_the_application() {
    let server = Server::start(Fsync::Never).await;
    let pool =
        deadpool_redis::Config::from_url(server.url()).create_pool(Some(deadpool_redis::Runtime::Tokio1));
    let pool = pool.expect("a pool");
    let store = RedisStorage::open(options(&server).pool(pool.clone())).await.expect("it opens");
    let queue = QueueName::from_static("q");
    store.enqueue(&queue, group(1)).await.expect("it enqueues");
    assert_eq!(store.counts(&queue).await.expect("it counts").total(), 1);
    store.close().await.expect("it closes");
    let mut connection = pool.get().await.expect("it lends");
    let keys: Vec<String> =
        redis::cmd("KEYS").arg("jq:*").query_async(&mut connection).await.expect("it answers");
    assert!(keys.contains(&"jq:{q}:state".to_owned()), "{keys:?}");
}

/// The write still exists: waiting makes the answer honest, and does not undo the write.
#[tokio::test]
async fn replicas_that_are_missing_leave_the_outcome_unknown() {
    let server = Server::start(Fsync::Never).await;
    let waiting = options(&server).wait_for_replicas(1, Duration::from_millis(50));
    let store = RedisStorage::open(waiting).await.expect("it opens");
    let queue = QueueName::from_static("q");
    let error = store.enqueue(&queue, group(1)).await.expect_err("there is no replica");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::Unknown), "{error}");
    let plain = RedisStorage::open(options(&server)).await.expect("it opens");
    assert!(plain.counts(&queue).await.expect("it answers").total() <= 1);
}

/// A claim whose answer is discarded costs its jobs a stall, so that after a few they would fail
/// without a run.
#[tokio::test]
async fn replicas_that_are_missing_keep_no_leases_from_their_worker() {
    let server = Server::start(Fsync::Never).await;
    let queue = QueueName::from_static("q");
    let plain = RedisStorage::open(options(&server)).await.expect("it opens");
    plain.enqueue(&queue, group(1)).await.expect("it is enqueued");
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1 << 41)));
    let waiting = options(&server).wait_for_replicas(1, Duration::from_millis(50)).clock(clock.clone());
    let store = RedisStorage::open(waiting).await.expect("it opens");
    let claimed = store.claim(request(&queue, 1)).await.expect("a claim waits for nobody").jobs.remove(0);
    let extend = Event::Extend { token: claimed.token, by: Span::from_secs(60), progress: None };
    let extend = decide(&claimed.record.meta, extend, &Policy::default()).expect("it is held");
    assert!(store.apply(vec![extend]).await.expect("nor does a heartbeat").value[0].is_done());
    clock.advance(Duration::from_secs(61));
    assert_eq!(store.rescue(&queue, 1, &Policy::default()).await.expect("nor does a rescue").len(), 1);
}

#[tokio::test]
async fn replicas_that_are_missing_cost_no_connection() {
    let server = Server::start(Fsync::Never).await;
    let waiting = options(&server).wait_for_replicas(1, Duration::from_millis(1));
    let store = RedisStorage::open(waiting).await.expect("it opens");
    let (queue, before) = (QueueName::from_static("q"), server.connections_made().await);
    for _ in 0..3 {
        store.enqueue(&queue, group(1)).await.expect_err("there is no replica");
    }
    assert_eq!(server.connections_made().await - before, 1, "the one that asks, and no other");
}

/// The server takes zero for no limit.
#[tokio::test]
async fn less_than_a_millisecond_is_no_time_to_wait_for_replicas() {
    let options = RedisOptions::new("redis://127.0.0.1:1").expect("valid");
    assert_eq!(refused(options.wait_for_replicas(1, Duration::from_micros(999))).await, ErrorKind::Invalid);
}
