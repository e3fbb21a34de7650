//! A handle that outlives the runtime on which it was first used, as in tests that share one, and
//! in programs that run one runtime after the other; and one whose other runtime stands still. What
//! all stores have in common is in the suite.

use crate::cluster::Cluster;
use crate::server::{Fsync, Server};
use futures_util::{FutureExt as _, StreamExt as _};
use queue_core::{
    ClaimRequest, ContentType, Detail, Interest, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span,
    Storage, WorkerId,
};
use queue_redis::{RedisOptions, RedisStorage};
use std::time::Duration;
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("it starts")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload)
}

/// Uses hints, and calls of every kind.
async fn use_all(store: &RedisStorage, turn: u64) {
    let queue = QueueName::from_static("q");
    for (index, interest) in [Interest::Wake, Interest::All].into_iter().enumerate() {
        let mut hints = store.subscribe(&queue, interest).await.expect("it listens");
        // The listener's restart gives a hint too, which would hide the one that is to come.
        while hints.next().now_or_never().is_some() {}
        let id = format!("{turn}-{index}");
        store.enqueue(&queue, vec![vec![job(&id)]]).await.expect("it enqueues");
        hints.next().await.expect("the handle is open");
        let read = store.get(&queue, &[JobId::new(id).expect("valid")], Detail::Full).await;
        assert!(read.expect("it reads").value[0].is_some());
    }
    let rng = SeededRng::new(turn);
    let request = ClaimRequest::new(queue, WorkerId::from_static("w"), 9, Span::from_secs(60), &rng);
    assert_eq!(store.claim(request).await.expect("it claims").jobs.len(), 2);
}

fn outlives_its_runtime(url: &str) {
    let options = RedisOptions::new(url).expect("valid");
    let first = runtime();
    let store = first.block_on(RedisStorage::open(options)).expect("it opens");
    first.block_on(use_all(&store, 1));
    drop(first);
    for turn in 2..4 {
        // The runtime ends with each turn.
        runtime().block_on(use_all(&store, turn));
    }
    runtime().block_on(store.close()).expect("it closes");
}

#[test]
fn a_handle_goes_on_when_its_runtime_has_ended() {
    let server = runtime().block_on(Server::start(Fsync::Never));
    outlives_its_runtime(&server.url());
}

#[test]
fn a_handle_on_a_cluster_goes_on_when_its_runtime_has_ended() {
    let cluster = runtime().block_on(Cluster::start());
    outlives_its_runtime(&cluster.url());
}

#[test]
fn a_stream_of_hints_ends_with_the_runtime_on_which_it_was_made() {
    let (first, second) = (runtime(), runtime());
    let server = second.block_on(Server::start(Fsync::Never));
    let options = RedisOptions::new(&server.url()).expect("valid");
    let store = second.block_on(RedisStorage::open(options)).expect("it opens");
    let queue = QueueName::from_static("q");
    let mut hints = first.block_on(store.subscribe(&queue, Interest::Wake)).expect("it listens");
    drop(first);
    while hints.next().now_or_never().expect("it has ended").is_some() {}
    second.block_on(use_all(&store, 1));
    second.block_on(store.close()).expect("it closes");
}

/// Its tasks cannot be waited for.
#[test]
fn a_handle_closes_beside_a_runtime_that_stands_still() {
    let stands = Builder::new_current_thread().enable_all().build().expect("it starts");
    let lives = runtime();
    let server = lives.block_on(Server::start(Fsync::Never));
    let options = RedisOptions::new(&server.url()).expect("valid");
    let store = lives.block_on(RedisStorage::open(options)).expect("it opens");
    let queue = QueueName::from_static("q");
    let rng = SeededRng::new(1);
    let request =
        || ClaimRequest::new(queue.clone(), WorkerId::from_static("w"), 9, Span::from_secs(60), &rng);
    let (kept, hints) = stands.block_on(async {
        let hints = store.subscribe(&queue, Interest::Wake).await.expect("it listens");
        // The second waits for the first. The third is dropped, and what it leases is to be given
        // back.
        let mut claims = [(); 3].map(|()| store.claim(request()).boxed());
        for claim in &mut claims {
            drop(claim.now_or_never());
        }
        let [first, second, _] = claims;
        ([first, second], hints)
    });
    let closing = async { timeout(Duration::from_secs(60), store.close()).await };
    lives.block_on(closing).expect("it waits for no other runtime").expect("it closes");
    drop((kept, hints));
}
