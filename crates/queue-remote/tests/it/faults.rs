//! A network between a handle and its server that fails.

use crate::{
    common::server::TestServer,
    jobs::{claim, job, put, queue, served, sized},
};
use bytes::Bytes;
use queue_core::{Certainty, Detail, Enqueued, ErrorKind, JobId, LostClaim, State, Storage};
use queue_memory::MemoryStorage;
use queue_remote::{RemoteOptions, RemoteStorage};
use queue_testkit::proxy::{Proxy, Rates, Traffic};
use std::{sync::Arc, time::Duration};

/// A handle whose calls go through a proxy.
async fn proxied(store: Arc<MemoryStorage>) -> (TestServer, Proxy, RemoteStorage) {
    patient(store, Duration::from_secs(3)).await
}

async fn patient(store: Arc<MemoryStorage>, silent_max: Duration) -> (TestServer, Proxy, RemoteStorage) {
    let server = TestServer::start(store).await;
    let proxy = Proxy::start(server.address).expect("a port is free");
    let options = RemoteOptions::new(&format!("http://{}/", proxy.address())).expect("valid");
    let remote = RemoteStorage::open(options.response_timeout(silent_max)).await.expect("it opens");
    (server, proxy, remote)
}

#[tokio::test]
async fn an_answer_that_is_lost_leaves_the_outcome_unknown_and_nothing_is_sent_twice() {
    let store = Arc::new(MemoryStorage::new());
    let (_server, proxy, remote) = proxied(store.clone()).await;
    proxy.set(Traffic::CutBeforeReply(Bytes::from_static(b"/enqueue"))).await.expect("it runs");
    let error = put(&remote, "a").await.expect_err("its answer is lost");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::Unknown), "{error}");
    proxy.wait_for(|counts| counts.withheld > 0).await;
    assert_eq!(proxy.counts().withheld, 1, "it was sent once");
    proxy.set(Traffic::Pass).await.expect("it runs");
    let again = put(&remote, "a").await.expect("the network is well");
    assert!(matches!(again, Enqueued::Duplicate { state: State::Queued, .. }), "{again:?}");
}

#[tokio::test]
async fn the_jobs_of_a_claim_whose_answer_is_lost_are_found_by_its_token() {
    let store = Arc::new(MemoryStorage::new());
    let (_server, proxy, remote) = proxied(store.clone()).await;
    put(&remote, "a").await.expect("it is taken");
    proxy.set(Traffic::CutBeforeReply(Bytes::from_static(b"/claim"))).await.expect("it runs");
    let request = claim();
    let error = remote.claim(request.clone()).await.expect_err("its answer is lost");
    assert_eq!(error.certainty(), Certainty::Unknown, "{error}");
    proxy.set(Traffic::Pass).await.expect("it runs");
    LostClaim::of(&request).give_back(&remote).await.expect("the network is well");
    let found = remote.get(&queue(), &[JobId::from_static("a")], Detail::Meta).await.expect("it answers");
    let meta = &found.value[0].as_ref().expect("it is there").meta;
    assert_eq!((meta.state, meta.stalls), (State::Queued, 0));
}

#[tokio::test]
async fn a_server_that_refuses_connections_was_sent_nothing() {
    let (_server, proxy, remote) = proxied(Arc::default()).await;
    proxy.set(Traffic::Refuse).await.expect("it runs");
    proxy.cut().await.expect("it runs");
    let error = loop {
        // The end of the connection that is kept may be noticed only when it is used.
        match put(&remote, "a").await.expect_err("nobody answers") {
            error if error.certainty() == Certainty::Unknown => {}
            error => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    proxy.set(Traffic::Pass).await.expect("it runs");
    put(&remote, "a").await.expect("the handle goes on");
}

/// Each way takes 5 s, longer than a call may be silent. Proxy and system may take all of the
/// request at once, so that no sign of it follows. It is given up after twice the silence, and a
/// busy machine may need most of that.
#[tokio::test]
async fn a_line_that_is_slow_and_never_silent_is_not_given_up() {
    const BYTES: usize = 1 << 20;
    let (_server, proxy, remote) = patient(Arc::default(), Duration::from_millis(4_500)).await;
    let rates = Rates::default().to_server(200 << 10).to_client(200 << 10);
    proxy.set(Traffic::Throttle(rates)).await.expect("it runs");
    let large = sized("a", BYTES);
    remote.enqueue(&queue(), vec![vec![large]]).await.expect("it goes on");
    let read = remote.get(&queue(), &[JobId::from_static("a")], Detail::Full).await.expect("it goes on");
    let body = read.value[0].as_ref().and_then(|record| record.body.as_ref()).expect("it is there");
    assert_eq!(body.payload.bytes.len(), BYTES);
}

/// One call of ten thousand jobs and one of the largest answer there is.
#[tokio::test]
async fn calls_as_large_as_the_limits_allow_go_through() {
    let (_store, _server, remote) = served().await;
    let limits = remote.capabilities().limits;
    let jobs: Vec<_> = (0..limits.batch_max).map(|n| job(&n.to_string())).collect();
    let answer = remote.enqueue(&queue(), vec![jobs]).await.expect("it is taken");
    assert_eq!(answer.value[0].len(), limits.batch_max);
    let large: Vec<_> = (0..20).map(|n| sized(&format!("l{n}"), limits.payload_bytes_max)).collect();
    let ids: Vec<_> = large.iter().map(|job| job.id.clone()).collect();
    remote.enqueue(&queue(), vec![large]).await.expect("it is taken");
    let read = remote.get(&queue(), &ids, Detail::Full).await.expect("it answers");
    let whole = read.value.iter().flatten().filter(|record| record.body.is_some()).count();
    assert!((10..20).contains(&whole), "the rest has no room: {whole}");
    let claimed =
        remote.claim(queue_core::ClaimRequest { limit: 10_000, ..claim() }).await.expect("it answers");
    assert_eq!(claimed.jobs.len(), limits.batch_max);
    let over = sized("over", limits.payload_bytes_max + 1);
    let error = remote.enqueue(&queue(), vec![vec![over]]).await.expect_err("it is too large");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
}
