//! Jobs and calls that several tests make.

use crate::common::server::TestServer;
use queue_core::{
    ClaimRequest, Claimed, ContentType, Enqueued, JobId, Kind, NewJob, Payload, QueueName, Result, Span,
    Storage, SystemRng, WorkerId,
};
use queue_memory::MemoryStorage;
use queue_remote::{RemoteOptions, RemoteStorage};
use std::sync::Arc;

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("q")
}

pub(crate) fn job(id: &str) -> NewJob {
    sized(id, 2)
}

/// A job with so many bytes of payload.
pub(crate) fn sized(id: &str, bytes: usize) -> NewJob {
    let payload = Payload::new(vec![b'x'; bytes], ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload)
}

pub(crate) async fn put(store: &dyn Storage, id: &str) -> Result<Enqueued> {
    let answer = store.enqueue(&queue(), vec![vec![job(id)]]).await?;
    Ok(answer.value[0][0].clone())
}

pub(crate) fn claim() -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("w"), 1, Span::from_secs(60), &SystemRng)
}

/// Claims until a job comes.
pub(crate) async fn claim_until_it_comes(store: &dyn Storage) -> Claimed {
    loop {
        let claimed = store.claim(claim()).await.expect("it answers");
        if !claimed.jobs.is_empty() {
            return claimed;
        }
        tokio::task::yield_now().await;
    }
}

/// A store in memory behind a server, and a handle.
pub(crate) async fn served() -> (Arc<MemoryStorage>, TestServer, RemoteStorage) {
    let store = Arc::new(MemoryStorage::new());
    let server = TestServer::start(store.clone()).await;
    let remote = open(&server.url()).await.expect("it opens");
    (store, server, remote)
}

pub(crate) async fn open(url: &str) -> Result<RemoteStorage> {
    RemoteStorage::open(RemoteOptions::new(url)?).await
}
