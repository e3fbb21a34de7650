//! A handle that outlives the runtime on which it was first used, as in tests that share one, and
//! in programs that run one runtime after the other.

use crate::cluster::Cluster;
use crate::server::{Fsync, Server};
use futures_util::{FutureExt as _, StreamExt as _};
use queue_core::{
    ClaimRequest, ContentType, Detail, Interest, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span,
    Storage, WorkerId,
};
use queue_redis::{RedisOptions, RedisStorage};
use tokio::runtime::{Builder, Runtime};

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
