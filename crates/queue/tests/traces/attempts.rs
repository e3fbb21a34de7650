//! The span around a handler.

use crate::support::{Texts, Traced, assert_child, assert_linked, attribute, texts};
use opentelemetry::trace::{SpanId, SpanKind, Status};
use queue::{JobOptions, State, worker::JobError};
use std::time::Duration;
use tracing::{Instrument as _, info_span};

const SECOND: Duration = Duration::from_secs(1);

/// Enqueues within the span `order`.
async fn order(queue: &Texts, options: JobOptions) {
    let enqueue = queue.enqueue_with("a", "payload".to_owned(), options);
    enqueue.instrument(info_span!("order")).await.expect("it is stored");
}

async fn work(queue: &Texts) {
    let worker = queue.work_with(|text, _| async move {
        info_span!("inner").in_scope(|| ());
        Ok(text)
    });
    let report = worker.until_empty().build().expect("valid settings").run().await;
    assert_eq!(report.completed, 1);
}

#[tokio::test(start_paused = true)]
async fn the_first_attempt_is_a_child_of_the_span_that_enqueued_and_what_the_handler_does_is_its() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new()).await;
    tokio::time::sleep(60 * SECOND).await;
    work(&queue).await;
    let attempt = traced.attempt_at("a");
    assert_child(&attempt, &traced.send());
    assert_child(&traced.span("inner"), &attempt);
    assert!(attempt.parent_span_is_remote);
    assert_eq!((&attempt.span_kind, &attempt.status), (&SpanKind::Consumer, &Status::Unset));
    for (name, value) in [
        ("messaging.system", "queue"),
        ("messaging.operation.name", "process"),
        ("messaging.operation.type", "process"),
        ("messaging.destination.name", "texts"),
        ("queue.job.kind", "default"),
        ("outcome", "completed"),
    ] {
        assert_eq!(attribute(&attempt, name), Some(value.into()), "{name}");
    }
    let numbers = ["messaging.message.body.size", "queue.job.attempt", "queue.job.epoch"];
    assert_eq!(numbers.map(|name| attribute(&attempt, name)), [9, 1, 1].map(|n: i64| Some(n.into())));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_begins_after_a_minute_has_a_trace_of_its_own_with_a_link() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new()).await;
    tokio::time::sleep(60 * SECOND + Duration::from_millis(1)).await;
    work(&queue).await;
    assert_linked(&traced.attempt_at("a"), &traced.send());
}

#[tokio::test(start_paused = true)]
async fn a_job_that_was_delayed_has_a_trace_of_its_own_with_a_link() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new().delay(SECOND)).await;
    work(&queue).await;
    assert_linked(&traced.attempt_at("a"), &traced.send());
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_has_a_trace_of_its_own_with_a_link_and_the_failed_one_says_why() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new()).await;
    let worker = queue.work_with(|text, job| async move {
        if job.attempt() == 1 { Err(JobError::named("Smtp", "no route")) } else { Ok(text) }
    });
    worker.until_empty().build().unwrap().run().await;
    let (attempts, send) = (traced.attempts(), traced.send());
    assert_eq!(attempts.len(), 2);
    assert_child(&attempts[0], &send);
    assert_eq!(attempts[0].status, Status::error("no route"));
    assert_eq!(attribute(&attempts[0], "error.type"), Some("Smtp".into()));
    assert_linked(&attempts[1], &send);
    assert_eq!(attempts[1].status, Status::Unset);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_was_given_back_has_a_trace_of_its_own_with_a_link() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new()).await;
    let _ = queue.dequeue(SECOND).await.unwrap().expect("it is due").release().await.unwrap();
    work(&queue).await;
    assert_linked(&traced.attempt_at("a"), &traced.send());
}

#[tokio::test(start_paused = true)]
async fn a_header_that_is_no_trace_context_costs_the_job_nothing() {
    let (traced, queue) = (Traced::new(), texts());
    order(&queue, JobOptions::new().header("traceparent", "00-nonsense-01")).await;
    work(&queue).await;
    let attempt = traced.attempt_at("a");
    assert_eq!((attempt.parent_span_id, attempt.links.iter().count()), (SpanId::INVALID, 0));
    let told = attempt.events.iter().find(|event| event.name == "the job brought no valid trace context");
    assert!(told.is_some(), "{:?}", attempt.events);
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_job_without_a_trace_begins_one_whatever_span_its_worker_was_started_in() {
    let (traced, queue) = (Traced::new(), texts());
    queue.enqueue("a", String::new()).await.unwrap();
    work(&queue).instrument(info_span!("main")).await;
    let attempt = traced.attempt_at("a");
    assert_eq!((attempt.parent_span_id, attempt.links.iter().count()), (SpanId::INVALID, 0));
    assert_ne!(attempt.span_context.trace_id(), traced.span("main").span_context.trace_id());
}
