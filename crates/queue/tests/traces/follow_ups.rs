//! Jobs that follow others stay in the trace.

use crate::support::{Texts, Traced, assert_child, header, texts, traceparent};
use queue::{FailedJob, Failure, JobId, JobKind, JobMeta, JobOptions};
use std::time::Duration;
use tracing::{Instrument as _, info_span};

const ALERT: JobKind<FailedJob> = JobKind::new("alert");

fn failing() -> JobOptions {
    JobOptions::new().max_attempts(1).max_stalls(1).on_failure(ALERT)
}

async fn order(queue: &Texts) {
    let enqueue = queue.enqueue_with("a", String::new(), failing());
    enqueue.instrument(info_span!("order")).await.expect("it is stored");
}

async fn take(queue: &Texts) -> queue::Delivery<String, String> {
    queue.dequeue(Duration::from_secs(1)).await.expect("it claims").expect("a job is due")
}

/// The headers of a job's follow-up, given the job as it was claimed.
async fn alert_parent(queue: &Texts, failed: &JobMeta) -> Option<String> {
    let id: JobId = FailedJob::follow_up_id(failed);
    header(queue, id.as_str(), "traceparent").await
}

#[tokio::test(start_paused = true)]
async fn a_job_that_a_handler_makes_is_a_child_of_its_attempt() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue).await;
    let made_by = queue.clone();
    let worker = queue.work_with(move |text, job| {
        let queue = made_by.clone();
        async move {
            if job.meta().id.as_str() == "a" {
                job.then(queue.new_job("b", &text, &JobOptions::new())?);
            }
            Ok(text)
        }
    });
    assert_eq!(worker.until_empty().build().unwrap().run().await.completed, 2);
    assert_child(&traced.attempt_at("a"), &traced.send());
    assert_child(&traced.attempt_at("b"), &traced.attempt_at("a"));
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_failure_in_pull_mode_goes_on_with_the_trace() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue).await;
    let job = take(&queue).await;
    let _ = job.nack(Failure::new("Boom", "it broke")).await.unwrap();
    assert_eq!(alert_parent(&queue, job.meta()).await, Some(traceparent(&traced.send())));
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_lapse_goes_on_with_the_trace_whoever_finds_it() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue).await;
    let lost = take(&queue).await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    let alert = queue.of(ALERT).dequeue(Duration::from_secs(1)).await.unwrap().expect("it was ended");
    assert_eq!(alert.payload().id, "a");
    assert_eq!(alert_parent(&queue, lost.meta()).await, Some(traceparent(&traced.send())));
}
