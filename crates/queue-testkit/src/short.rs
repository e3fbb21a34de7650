//! Short names for frequent steps of a store's own tests, on one queue. Each expects its verb to
//! succeed, and panics otherwise.
#![allow(clippy::missing_panics_doc, reason = "said above, once for all")]

use queue_core::{
    Changed, ClaimRequest, Claimed, ContentType, Enqueued, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload,
    QueueName, Span, Storage, StorageExt, SystemRng, WorkerId,
    lifecycle::{Event, Policy},
};

/// The queue of all these helpers.
pub fn queue() -> QueueName {
    QueueName::from_static("q")
}

/// A small payload or result.
pub fn text(bytes: &'static str) -> Payload {
    Payload::new(bytes, ContentType::from_static("text/plain"))
}

/// A job with the standard options.
pub fn job(id: &str) -> NewJob {
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("kind"), text("payload"))
}

/// Stores one group of jobs.
pub async fn enqueue(store: &dyn Storage, jobs: Vec<NewJob>) -> Vec<Enqueued> {
    store.enqueue(&queue(), vec![jobs]).await.expect("it enqueues").value.remove(0)
}

/// A claim of at most `limit` jobs, under its own token.
pub fn request(limit: usize, lease: Span) -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("worker"), limit, lease, &SystemRng)
}

/// Claims for half a minute.
pub async fn claim(store: &dyn Storage, limit: usize) -> Claimed {
    store.claim(request(limit, Span::from_secs(30))).await.expect("it claims")
}

/// A completion with a small result.
pub fn complete(token: LeaseToken) -> Event {
    Event::Complete { token, result: text("result"), retention: None, then: Vec::new() }
}

/// Settles as a worker does: it decides, and decides again if the job has changed meanwhile.
pub async fn settle(store: &dyn Storage, job: &JobMeta, event: Event) -> Changed {
    store.settle(job, event, &Policy::default()).await.expect("it settles")
}

/// Asserts that the store's cross-check finds nothing.
pub async fn assert_sound(store: &dyn Storage) {
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}
