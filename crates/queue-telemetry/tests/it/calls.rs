//! Calls of the store: what was sent, how long it took, what failed.

use crate::support::{Measured, count};
use async_trait::async_trait;
use queue::MemoryStorage;
use queue::queue_core::{
    ClaimRequest, ClaimedJob, ContentType, Enqueued, Error, ErrorKind, JobId, Kind, NewJob, Payload,
    QueueName, Result, Span, Stamped, StorageLayer, SystemRng, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
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

/// Jobs in a row that share labels are counted together, so a batch mixes them in every way.
#[tokio::test]
async fn a_batch_of_several_queues_and_kinds_counts_each_by_its_own_labels() {
    let measured = Measured::new();
    let mut mails = leased(&measured, "mails", &["a", "a", "b", "lost", "a"]).await;
    let bills = leased(&measured, "bills", &["a"]).await;
    let lost = &mails[3];
    let release =
        decide(&lost.record.meta, Event::release(lost.token), &Policy::default()).expect("it is leased");
    measured.storage.apply(vec![release]).await.expect("memory answers");
    mails.insert(2, bills[0].clone());
    let batch = mails.iter().map(completion).collect();
    let answer = measured.storage.apply(batch).await.expect("memory answers");
    assert_eq!(answer.value.iter().filter(|applied| applied.is_done()).count(), 5, "{answer:?}");
    let of = |metric, queue, kind| {
        let labels =
            [("messaging_destination_name", queue), ("queue_job_kind", kind), ("outcome", "completed")];
        count(&measured, metric, &labels)
    };
    for metric in ["queue_job_attempts_total", "queue_job_held_duration_seconds_count"] {
        let counted = [("mails", "a"), ("mails", "b"), ("mails", "lost"), ("bills", "a"), ("bills", "b")]
            .map(|(queue, kind)| of(metric, queue, kind));
        assert_eq!(counted, [3, 1, 0, 1, 0], "{metric}");
    }
    assert_eq!(count(&measured, "queue_lease_lost_total", &[("messaging_destination_name", "mails")]), 1);
    let followers = [("messaging_destination_name", "mails"), ("outcome", "follower")];
    assert_eq!(count(&measured, "messaging_client_sent_messages_total", &followers), 4);
}

/// One leased job of each kind, in this order.
async fn leased(measured: &Measured, queue: &str, kinds: &[&str]) -> Vec<ClaimedJob> {
    let queue = QueueName::new(queue).expect("a valid name");
    let jobs = kinds.iter().enumerate().map(|(n, kind)| vec![job(&n.to_string(), kind)]).collect();
    measured.storage.enqueue(&queue, jobs).await.expect("memory answers");
    let claim =
        ClaimRequest::new(queue, WorkerId::from_static("w"), kinds.len(), Span::from_secs(30), &SystemRng);
    measured.storage.claim(claim).await.expect("memory answers").jobs
}

fn job(id: &str, kind: &str) -> NewJob {
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::new(kind).expect("a valid kind"), nothing())
}

fn nothing() -> Payload {
    Payload::new("{}", ContentType::from_static("application/json"))
}

/// A settle that one job follows.
fn completion(job: &ClaimedJob) -> Transition {
    let then = vec![self::job(&format!("after-{}", job.record.meta.id), "next")];
    let complete = Event::Complete { token: job.token, result: nothing(), retention: None, then };
    decide(&job.record.meta, complete, &Policy::default()).expect("it is leased")
}
