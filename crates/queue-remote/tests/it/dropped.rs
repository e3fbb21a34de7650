//! Callers that leave before they are answered.

use crate::{
    common::server::TestServer,
    jobs::{claim, claim_until_it_comes, put, queue, served},
};
use async_trait::async_trait;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use queue_core::{ClaimRequest, Claimed, Counts, QueueName, Result, State, Storage, StorageLayer};
use queue_memory::MemoryStorage;
use queue_remote::{RemoteStorage, StoreService};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tower_service::Service;

/// A store that counts without end, and reports of each such call when it begins and when it is
/// dropped.
#[derive(Debug)]
struct Stuck {
    store: MemoryStorage,
    calls: mpsc::UnboundedSender<oneshot::Receiver<()>>,
}

#[async_trait]
impl StorageLayer for Stuck {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    async fn counts(&self, _: &QueueName) -> Result<Counts> {
        let (_dropped, is_dropped) = oneshot::channel::<()>();
        self.calls.send(is_dropped).expect("the test listens");
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_call_ends_on_the_server_when_its_caller_is_gone() {
    let (calls, mut begun) = mpsc::unbounded_channel();
    let server = TestServer::start(Arc::new(Stuck { store: MemoryStorage::new(), calls })).await;
    let remote = RemoteStorage::open(server.options()).await.expect("it opens");
    let queue = queue();
    let mut call = remote.counts(&queue);
    let is_dropped = tokio::select! {
        answer = &mut call => panic!("it has no end: {answer:?}"),
        is_dropped = begun.recv() => is_dropped.expect("the store is there"),
    };
    drop(call);
    is_dropped.await.expect_err("the other end is dropped with the call");
    put(&remote, "a").await.expect("the handle goes on");
}

/// Keeps the request of a claim, as the handle writes it.
async fn request_of_a_claim() -> Request<Full<Bytes>> {
    let (requests, mut seen) = mpsc::unbounded_channel();
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
    let server = TestServer::start_with(move |request| {
        let (mut service, requests) = (StoreService::new(store.clone()), requests.clone());
        async move {
            let (parts, body) = request.into_parts();
            let whole = body.collect().await.expect("it is whole").to_bytes();
            let request = Request::from_parts(parts, Full::new(whole));
            requests.send(request.clone()).expect("the test listens");
            service.call(request).await
        }
    })
    .await;
    let remote = RemoteStorage::open(server.options()).await.expect("it opens");
    let _none: Claimed = remote.claim(claim()).await.expect("it answers");
    loop {
        let request = seen.recv().await.expect("it came");
        if request.uri().path().ends_with("/claim") {
            return request;
        }
    }
}

#[tokio::test]
async fn jobs_of_an_answer_that_is_never_sent_go_back_uncharged() {
    let request = request_of_a_claim().await;
    let store = Arc::new(MemoryStorage::new());
    put(&*store, "a").await.expect("it is taken");
    let mut service = StoreService::new(store.clone());
    let answer = service.call(request.clone()).await.expect("it always answers");
    assert_eq!(store.counts(&queue()).await.expect("it answers").of(State::Processing), 1);
    drop(answer);
    let claimed = claim_until_it_comes(&*store).await;
    assert_eq!(claimed.jobs[0].record.meta.stalls, 0);
}

#[tokio::test]
async fn an_answer_that_is_sent_keeps_its_jobs() {
    let request = request_of_a_claim().await;
    let store = Arc::new(MemoryStorage::new());
    put(&*store, "a").await.expect("it is taken");
    let answer = StoreService::new(store.clone()).call(request).await.expect("it always answers");
    let sent = answer.into_body().collect().await.expect("it is whole").to_bytes();
    assert!(!sent.is_empty());
    for _ in 0..100 {
        tokio::task::yield_now().await;
        assert_eq!(store.counts(&queue()).await.expect("it answers").of(State::Processing), 1);
    }
}

/// The program that runs the server closes the store behind it, which is no matter of handles.
#[tokio::test]
async fn a_store_that_is_closed_behind_the_server_is_unavailable_and_not_closed() {
    let (store, _server, remote) = served().await;
    store.close().await.expect("it closes");
    let error = remote.claim(ClaimRequest { limit: 0, ..claim() }).await.expect_err("nothing answers");
    assert!(error.is_transient(), "{error}");
}
