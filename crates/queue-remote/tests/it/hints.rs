//! Streams of hints over connections that end, and how many of them there are.

use crate::{
    common::server::TestServer,
    jobs::{job, put, queue},
};
use async_trait::async_trait;
use futures_util::{Stream, StreamExt};
use queue_core::{EventStream, Hint, Interest, JobId, QueueName, Result, Storage, StorageLayer};
use queue_memory::MemoryStorage;
use queue_remote::{RemoteOptions, RemoteStorage};
use queue_testkit::proxy::Proxy;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

async fn proxied(store: Arc<dyn Storage>) -> (TestServer, Proxy, RemoteStorage) {
    let server = TestServer::start(store).await;
    let proxy = Proxy::start(server.address).expect("a port is free");
    let options = RemoteOptions::new(&format!("http://{}/", proxy.address())).expect("valid");
    let remote = RemoteStorage::open(options).await.expect("it opens");
    (server, proxy, remote)
}

fn id(n: usize) -> JobId {
    JobId::new(n.to_string()).expect("valid")
}

#[tokio::test]
async fn a_thousand_who_wait_for_jobs_of_a_queue_share_a_connection() {
    let (_server, proxy, remote) = proxied(Arc::new(MemoryStorage::new())).await;
    let mut waiters = Vec::new();
    for n in 0..1000 {
        waiters.push(remote.subscribe(&queue(), Interest::Jobs(vec![id(n)])).await.expect("it listens"));
    }
    assert!(proxy.counts().connections <= 2, "{:?}", proxy.counts());
    remote.enqueue(&queue(), vec![vec![job("999").awaited()]]).await.expect("it is taken");
    let query = queue_core::PruneRequest { queue: queue(), what: queue_core::Prune::Everything, limit: 1 };
    assert_eq!(remote.prune(query).await.expect("it answers"), 1);
    let Some(Hint::Job(change)) = waiters[999].next().await else { panic!("a job is gone") };
    assert_eq!((change.id, change.state), (id(999), None));
}

#[tokio::test]
async fn subscribers_are_told_to_read_again_when_their_connection_was_lost() {
    let (_server, proxy, remote) = proxied(Arc::new(MemoryStorage::new())).await;
    let mut all = remote.subscribe(&queue(), Interest::All).await.expect("it listens");
    let mut ends = remote.subscribe(&queue(), Interest::Jobs(vec![id(1)])).await.expect("it listens");
    let mut wakes = remote.subscribe(&queue(), Interest::Wake).await.expect("it listens");
    for _ in 0..3 {
        proxy.cut().await.expect("it runs");
        assert_eq!(all.next().await, Some(Hint::Missed));
        assert_eq!(ends.next().await, Some(Hint::Missed));
        assert!(wakes.next().await.is_some());
        // A stream that was lost as well may tell it once more.
        while futures_util::FutureExt::now_or_never(all.next()).is_some() {}
        while futures_util::FutureExt::now_or_never(ends.next()).is_some() {}
    }
    // A job that is put before the stream is made again counts as missed: then another is put.
    for n in 0.. {
        put(&remote, &n.to_string()).await.expect("it is taken");
        if let Some(Hint::Job(change)) = all.next().await {
            assert!(change.id.as_str().parse::<u32>().is_ok_and(|last| last <= n), "{change:?}");
            break;
        }
    }
}

/// A store that knows who subscribes to it.
#[derive(Debug)]
struct Counted {
    store: MemoryStorage,
    subscribers: Arc<()>,
}

struct CountedStream {
    hints: EventStream,
    _subscriber: Arc<()>,
}

#[async_trait]
impl StorageLayer for Counted {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let hints = self.store.subscribe(queue, interest).await?;
        Ok(Box::pin(CountedStream { hints, _subscriber: self.subscribers.clone() }))
    }
}

impl Stream for CountedStream {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.as_mut().poll_next(context)
    }
}

#[tokio::test]
async fn a_stream_that_nobody_hears_is_let_go_and_begun_again_when_asked_for() {
    let subscribers = Arc::new(());
    let store = Arc::new(Counted { store: MemoryStorage::new(), subscribers: subscribers.clone() });
    let server = TestServer::start(store).await;
    let remote = RemoteStorage::open(server.options()).await.expect("it opens");
    let idle = Arc::strong_count(&subscribers);
    for round in 0..2 {
        let hints = remote.subscribe(&queue(), Interest::All).await.expect("it listens");
        assert_eq!(Arc::strong_count(&subscribers), idle + 1);
        drop(hints);
        let mut number = 0;
        while Arc::strong_count(&subscribers) > idle {
            put(&remote, &format!("{round}-{number}")).await.expect("it is taken");
            number += 1;
        }
    }
}

#[tokio::test]
async fn closing_a_handle_ends_its_streams_on_the_server() {
    let subscribers = Arc::new(());
    let store = Arc::new(Counted { store: MemoryStorage::new(), subscribers: subscribers.clone() });
    let server = TestServer::start(store).await;
    let remote = RemoteStorage::open(server.options()).await.expect("it opens");
    let idle = Arc::strong_count(&subscribers);
    let mut hints = remote.subscribe(&queue(), Interest::Wake).await.expect("it listens");
    remote.close().await.expect("it closes");
    assert_eq!(hints.next().await, None);
    while Arc::strong_count(&subscribers) > idle {
        tokio::task::yield_now().await;
    }
    assert!(remote.subscribe(&queue(), Interest::Wake).await.is_err(), "a closed handle has none");
}
