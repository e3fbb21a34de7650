//! What the page of a job says about it.

use super::{dashboard, enqueue, fail_one, get, memory, new_job};
use queue_core::{
    ClaimRequest, ContentType, Failure, JobId, Kind, Pause, Payload, QueueName, Span, Storage, StorageExt,
    SystemRng, WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use std::sync::Arc;

fn job_result() -> Payload {
    Payload::new("1", ContentType::from_static("application/json"))
}

async fn page(store: &Arc<dyn Storage>) -> String {
    get(&dashboard(store.clone()), "/job?queue=mail&id=a").await.text
}

#[tokio::test]
async fn a_due_job_of_a_paused_queue_or_kind_is_paused_and_waits_for_no_worker() {
    let store = memory();
    let queue = QueueName::from_static("mail");
    enqueue(&store, "mail", vec![new_job("a", "email", "1")]).await;
    assert!(page(&store).await.contains("Due: waits for a worker"));
    store.set_paused(&queue, None, Pause::UntilResumed).await.unwrap();
    let text = page(&store).await;
    assert!(text.contains("Due, but paused") && !text.contains("waits for a worker"), "{text}");
    assert!(text.contains("its queue, until it is resumed"), "{text}");
    store.set_paused(&queue, None, Pause::Off).await.unwrap();
    store.set_paused(&queue, Some(&Kind::from_static("email")), Pause::UntilResumed).await.unwrap();
    let text = page(&store).await;
    assert!(text.contains("Due, but paused") && text.contains("its kind, until it is resumed"), "{text}");
}

#[tokio::test]
async fn two_failures_before_a_success_are_all_that_there_were() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "email", "1")]).await;
    let id = JobId::new("a").unwrap();
    let queue = QueueName::from_static("mail");
    for _ in 0..2 {
        fail_one(&store, "mail", "w", Failure::new("Smtp", "421"), Cause::Retryable).await;
        store.change(&queue, &id, Event::Promote, &Policy::default()).await.unwrap();
    }
    let worker = WorkerId::from_static("w");
    let request = ClaimRequest::new(queue, worker, 1, Span::from_secs(60), &SystemRng);
    let token = request.token;
    let job = store.claim(request).await.unwrap().jobs.remove(0).record.meta;
    let event = Event::Complete { token, result: job_result(), retention: None, then: Vec::new() };
    store.settle(&job, event, &Policy::default()).await.unwrap();
    let text = page(&store).await;
    assert!(text.contains("Attempt 2 failed"), "{text}");
    assert!(!text.contains("keeps the last") && !text.contains("not kept"), "{text}");
}
