//! What a job keeps of the span in which it is enqueued.

use crate::support::{Traced, assert_child, attribute, header, headers, texts, traceparent};
use opentelemetry::trace::{SpanKind, Status};
use opentelemetry_sdk::trace::Sampler;
use queue::{JobOptions, Queue};
use std::time::Duration;
use tracing::{Instrument as _, info_span};

const OWN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

#[tokio::test(start_paused = true)]
async fn a_job_takes_the_trace_along_whichever_way_it_is_enqueued() {
    let (traced, queue) = (Traced::new(), texts());
    let options = JobOptions::new;
    let all_ways = async {
        queue.enqueue("one", String::new()).await.unwrap();
        queue.enqueue_with("with", String::new(), options().priority(1)).await.unwrap();
        queue.enqueue_many([("many", String::new()), ("more", String::new())], options()).await.unwrap();
        let debounced = options().debounce(Duration::from_secs(1));
        queue.enqueue_with("debounced", String::new(), debounced.clone()).await.unwrap();
        queue.enqueue_many([("debounced too", String::new())], debounced).await.unwrap();
        let waited = queue.enqueue_and_wait("waited", String::new(), Duration::from_millis(1)).await;
        waited.expect_err("nobody works");
        queue.new_job("made", &String::new(), &options()).unwrap()
    };
    let made = all_ways.instrument(info_span!("order")).await;
    let order = traced.span("order");
    assert_eq!(made.headers.get("traceparent"), Some(traceparent(&order).as_str()), "nobody sends it yet");
    let sends = traced.spans("send texts");
    let calls = [&["one"][..], &["with"], &["many", "more"], &["debounced"], &["debounced too"], &["waited"]];
    assert_eq!(sends.len(), calls.len());
    for (send, ids) in sends.iter().zip(calls) {
        assert_child(send, &order);
        for id in ids {
            assert_eq!(header(&queue, id, "traceparent").await, Some(traceparent(send)), "{id}");
            assert_eq!(header(&queue, id, "tracestate").await, None, "an empty one is none");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_enqueue_is_the_span_of_a_producer_that_says_what_was_stored() {
    let (traced, queue) = (Traced::new(), texts());
    let two_calls = async {
        queue.enqueue("one", String::new()).await.unwrap();
        let jobs = [("many", String::new()), ("more", String::new())];
        queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    };
    two_calls.instrument(info_span!("order")).await;
    let sends = traced.spans("send texts");
    for send in &sends {
        assert_eq!((&send.span_kind, &send.status), (&SpanKind::Producer, &Status::Unset));
        for (name, value) in [
            ("messaging.system", "queue"),
            ("messaging.operation.name", "send"),
            ("messaging.operation.type", "send"),
            ("messaging.destination.name", "texts"),
        ] {
            assert_eq!(attribute(send, name), Some(value.into()), "{name}");
        }
    }
    let stored = ["messaging.message.id", "messaging.batch.message_count"];
    let [one, many] = [&sends[0], &sends[1]].map(|send| stored.map(|name| attribute(send, name)));
    assert_eq!((one, many), ([Some("one".into()), None], [None, Some(2.into())]));
}

#[tokio::test(start_paused = true)]
async fn the_span_of_an_enqueue_that_failed_says_why() {
    let (traced, queue) = (Traced::new(), texts());
    let too_large = "x".repeat(2 << 20);
    let refused = queue.enqueue("a", too_large).instrument(info_span!("order")).await.unwrap_err();
    let send = traced.send();
    assert_eq!(send.status, Status::error(refused.to_string()));
    assert_eq!(attribute(&send, "error.type"), Some("Invalid".into()));
}

#[tokio::test(start_paused = true)]
async fn without_a_span_and_without_opentelemetry_a_job_has_no_header() {
    let queue = texts();
    let traced = Traced::new();
    queue.enqueue("no span", String::new()).await.unwrap();
    assert!(traced.spans("send texts").is_empty(), "no trace goes along, so there is none to show");
    drop(traced);
    queue.enqueue("nobody listens", String::new()).instrument(info_span!("order")).await.unwrap();
    let _logs_alone = tracing::subscriber::set_default(tracing_subscriber::registry());
    queue.enqueue("logs alone", String::new()).instrument(info_span!("order")).await.unwrap();
    for id in ["no span", "nobody listens", "logs alone"] {
        assert!(headers(&queue, id).await.is_empty(), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_trace_context_of_the_jobs_own_is_left_alone() {
    let (_traced, queue) = (Traced::new(), texts());
    for (id, name, value) in
        [("a", "traceparent", OWN), ("b", "traceparent", "nonsense"), ("c", "tracestate", "v=1")]
    {
        let options = JobOptions::new().header(name, value);
        queue.enqueue_with(id, String::new(), options).instrument(info_span!("order")).await.unwrap();
        let headers = headers(&queue, id).await;
        assert_eq!(headers.iter().collect::<Vec<_>>(), [(name, value)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_headers_leave_no_room_goes_without() {
    let (_traced, queue) = (Traced::new(), texts());
    let full = (0..16).fold(JobOptions::new(), |options, n| options.header(n.to_string(), "x"));
    queue.enqueue_with("a", String::new(), full).instrument(info_span!("order")).await.unwrap();
    assert_eq!((headers(&queue, "a").await.len(), header(&queue, "a", "traceparent").await), (16, None));
}

#[tokio::test(start_paused = true)]
async fn hooks_have_all_the_room_for_headers_and_may_bring_a_trace() {
    let (_traced, plain) = (Traced::new(), texts());
    let builder = Queue::<String, String>::builder(plain.storage().clone(), "texts");
    let queue = builder.before_enqueue(|_, job| {
        let full = (0..16).map(|n| (n.to_string(), "x")).collect();
        let added: Vec<_> =
            if job.id.as_str() == "full" { full } else { vec![("traceparent".to_owned(), OWN)] };
        for (name, value) in added {
            job.headers = job.headers.with(name, value)?;
        }
        Ok(())
    });
    let queue = queue.build().unwrap();
    for (id, count, parent) in [("full", 16, None), ("own", 1, Some(OWN))] {
        queue.enqueue(id, String::new()).instrument(info_span!("order")).await.unwrap();
        let headers = headers(&queue, id).await;
        assert_eq!((headers.len(), headers.get("traceparent")), (count, parent), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_trace_that_is_not_sampled_says_so() {
    let (_traced, queue) = (Traced::sampled(Sampler::AlwaysOff), texts());
    queue.enqueue("a", String::new()).instrument(info_span!("order")).await.unwrap();
    let parent = header(&queue, "a", "traceparent").await.expect("it goes along all the same");
    assert!(parent.ends_with("-00"), "{parent}");
}
