//! Calls of the store: what was sent, how long it took, what failed.

use crate::support::{Measured, count};
use async_trait::async_trait;
use queue::MemoryStorage;
use queue::queue_core::{Enqueued, Error, ErrorKind, NewJob, QueueName, Result, Stamped, StorageLayer};
use std::sync::Arc;

#[tokio::test]
async fn a_duplicate_is_not_a_new_job() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    for _ in 0..3 {
        queue.enqueue("a", "hello".to_owned()).await.unwrap();
    }
    let sent = |outcome| count(&measured, "messaging_client_sent_messages_total", &[("outcome", outcome)]);
    assert_eq!((sent("queued"), sent("duplicate"), sent("completed")), (1, 2, 0));
    let calls = [("messaging_operation_name", "enqueue"), ("messaging_destination_name", "mails")];
    assert_eq!(count(&measured, "messaging_client_operation_duration_seconds_count", &calls), 3);
}

#[derive(Debug)]
struct Away(MemoryStorage);

#[async_trait]
impl StorageLayer for Away {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.0
    }

    async fn enqueue(&self, _: &QueueName, _: Vec<Vec<NewJob>>) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        Err(Error::new(ErrorKind::Unavailable, "enqueue", "the server is away").unknown())
    }
}

#[tokio::test]
async fn an_error_is_counted_by_its_kind_and_its_call_is_timed() {
    let measured = Measured::over(Arc::new(Away(MemoryStorage::new())));
    measured.queue("mails").enqueue("a", "hello".to_owned()).await.unwrap_err();
    let labels = [("kind", "unavailable"), ("certainty", "unknown"), ("store", "memory")];
    assert_eq!(count(&measured, "queue_store_errors_total", &labels), 1);
    let failed = [("error_type", "unavailable"), ("messaging_operation_name", "enqueue")];
    assert_eq!(count(&measured, "messaging_client_operation_duration_seconds_count", &failed), 1);
    assert_eq!(count(&measured, "messaging_client_sent_messages_total", &[]), 0);
}

#[tokio::test]
async fn a_lost_lease_is_counted() {
    use queue::queue_core::{
        ClaimRequest, Span, SystemRng, WorkerId,
        lifecycle::{Event, Policy, decide},
    };
    let measured = Measured::new();
    measured.queue("mails").enqueue("a", "hello".to_owned()).await.unwrap();
    let (queue, worker) = (QueueName::from_static("mails"), WorkerId::from_static("w"));
    let claim = ClaimRequest::new(queue, worker, 1, Span::from_secs(30), &SystemRng);
    let claimed = measured.storage.claim(claim).await.unwrap();
    let job = &claimed.jobs[0];
    let mut release = decide(&job.record.meta, Event::release(job.token), &Policy::default()).unwrap();
    measured.storage.apply(vec![release.clone()]).await.unwrap();
    // A second claim takes the job, and then the first holder tries to settle a lease it has lost.
    let claim = ClaimRequest::new(
        QueueName::from_static("mails"),
        WorkerId::from_static("x"),
        1,
        Span::from_secs(30),
        &SystemRng,
    );
    assert_eq!(measured.storage.claim(claim).await.unwrap().jobs.len(), 1);
    release.then.clear();
    measured.storage.apply(vec![release]).await.unwrap();
    assert_eq!(count(&measured, "queue_lease_lost_total", &[("messaging_destination_name", "mails")]), 1);
    let released = [("outcome", "released")];
    assert_eq!(count(&measured, "queue_job_attempts_total", &released), 1);
}
