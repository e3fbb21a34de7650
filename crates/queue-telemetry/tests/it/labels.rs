//! What labels reveal, and to which reader.

use crate::support::Measured;
use queue::queue_core::{ClaimRequest, QueueName, Span, SystemRng, WorkerId};
use queue_telemetry::{Metered, QueueMetrics};
use std::{sync::Arc, time::Duration};

#[tokio::test]
async fn no_job_is_named_and_unknown_methods_are_one() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    queue.enqueue("ada@example.org", "secret".to_owned()).await.unwrap();
    let worker = queue.work_with(|order, _| async { Ok(order) });
    measured.observed(worker).until_idle().build().unwrap().run().await;
    for method in ["GET", "BREW", "X1"] {
        measured.prometheus.metrics().answered(method, "/v1/queues/{queue}", 200, Duration::from_millis(3));
    }
    let text = measured.prometheus.text();
    assert!(!text.contains("ada@example.org") && !text.contains("secret"), "{text}");
    assert!(!text.contains("BREW") && text.contains("_OTHER"), "{text}");
}

#[tokio::test]
async fn a_reader_sees_only_the_queues_that_it_may_see() {
    let measured = Measured::new();
    for queue in ["mails", "salaries"] {
        measured.queue(queue).enqueue("a", "hello".to_owned()).await.unwrap();
    }
    measured.prometheus.metrics().answered("GET", "/healthz", 200, Duration::from_millis(3));
    let text = measured.prometheus.text_of(|queue| queue == Some("mails"));
    assert!(text.contains("mails") && text.contains("queue_build_info"), "{text}");
    assert!(!text.contains("salaries") && !text.contains("healthz"), "{text}");
}

#[tokio::test]
async fn names_cannot_break_the_text() {
    let measured = Measured::new();
    measured.queue("a\"} 1\\").enqueue("a", "hello".to_owned()).await.unwrap();
    let text = measured.prometheus.text();
    assert!(text.contains(r#"messaging_destination_name="a\"} 1\\""#), "{text}");
}

#[tokio::test]
async fn queues_without_end_stay_a_few_labels() {
    let measured = Measured::new();
    for n in 0..500 {
        measured.queue(&format!("queue-{n}")).enqueue("a", "hello".to_owned()).await.unwrap();
    }
    let text = measured.prometheus.text();
    let lines = text.lines().filter(|line| line.starts_with("messaging_client_sent_messages_total{")).count();
    assert_eq!(lines, 201);
    assert!(text.contains("messaging_destination_name=\"other\"") && !text.contains("overflow"), "{text}");
}

/// A caller of the service whose token has a pattern can claim from any queue that matches it.
#[tokio::test]
async fn claims_of_made_up_queues_use_up_no_labels() {
    let measured = Measured::new();
    for n in 0..500 {
        let queue = QueueName::new(format!("made-up-{n}")).unwrap();
        let request =
            ClaimRequest::new(queue, WorkerId::from_static("w"), 1, Span::from_secs(30), &SystemRng);
        assert!(measured.storage.claim(request).await.unwrap().jobs.is_empty());
    }
    measured.queue("mails").enqueue("a", "hello".to_owned()).await.unwrap();
    let text = measured.prometheus.text();
    assert!(text.contains("messaging_destination_name=\"mails\"") && !text.contains("made-up"), "{text}");
}

#[tokio::test]
async fn without_an_sdk_nothing_happens() {
    let metrics = QueueMetrics::new(&opentelemetry::global::meter("nobody"));
    let store = Arc::new(Metered::new(queue::open("memory:").await.unwrap(), &metrics));
    let queue: queue::Queue<String> = queue::Queue::new(store.clone(), "mails").unwrap();
    queue.enqueue("a", "hello".to_owned()).await.unwrap();
    metrics.read_store(&*store).await.unwrap();
}
