//! The jobs that a schedule makes.

use crate::support::{Traced, assert_child, attribute, header, texts, traceparent};
use opentelemetry::trace::{SpanId, SpanKind};
use queue::schedules::{Schedule, Timing};
use std::time::Duration;
use tracing::{Instrument as _, info_span};

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn each_job_of_a_schedule_begins_a_trace_with_the_span_that_made_it() {
    let (traced, queue) = (Traced::new(), texts());
    let hourly = Schedule::new("hourly", Timing::every(HOUR).expect("an hour"), String::new());
    queue.schedules().declare([hourly]).instrument(info_span!("main")).await.expect("it is declared");
    let worker = queue.work_with(|text, _| async move { Ok(text) }).build().expect("valid settings");
    worker.run_until(tokio::time::sleep(2 * HOUR + HOUR / 2)).await;
    let made = traced.spans("create texts");
    assert_eq!(made.len(), 2, "a span for each tick");
    assert_ne!(made[0].span_context.trace_id(), made[1].span_context.trace_id());
    for span in made {
        assert_eq!((span.parent_span_id, &span.span_kind), (SpanId::INVALID, &SpanKind::Producer));
        assert_eq!(attribute(&span, "schedule"), Some("queue.schedule:hourly".into()));
        let id = attribute(&span, "messaging.message.id").expect("it names its job").to_string();
        assert_child(&traced.attempt_at(&id), &span);
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_a_schedule_makes_by_hand_goes_on_with_the_trace_of_the_caller() {
    let (traced, queue) = (Traced::new(), texts());
    let hourly = Schedule::new("hourly", Timing::every(HOUR).expect("an hour"), String::new());
    queue.schedules().declare([hourly]).await.expect("it is declared");
    let now = queue.schedules().run_now("hourly").instrument(info_span!("order")).await;
    let id = now.expect("it is stored").expect("it is there");
    assert_eq!(header(&queue, id.as_str(), "traceparent").await, Some(traceparent(&traced.send())));
}
