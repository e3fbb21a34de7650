//! A store that stalls, refuses jobs, or is closed: what people and probes learn.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_core::{QueueName, Storage};
use queue_http::{READ_MAX, Readiness};
use queue_testkit::fault::{Fault, FaultKind, FaultPlan, FaultStore, Gate, StorageVerb};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, advance};

/// How old an answer of `/readyz` may be.
const AGE: Duration = Duration::from_secs(1);

type Faulty = FaultStore<dyn Storage>;

/// A store whose verbs all meet this fault until it is healed.
async fn faulty(verbs: &[StorageVerb], fault: Fault) -> Arc<Faulty> {
    let store = queue::open("memory:").await.expect("memory is always there");
    Arc::new(FaultStore::new(store, FaultPlan::new(7).one_in(1, verbs, fault)))
}

/// A store that answers nothing.
async fn frozen() -> Arc<Faulty> {
    faulty(StorageVerb::ALL, Fault::HoldUntil(Gate::shut())).await
}

/// The calls by which people look.
const READS: [(Method, &str); 14] = [
    (Method::GET, "/v1/queues"),
    (Method::GET, "/v1/queues/q"),
    (Method::GET, "/v1/queues/q/jobs"),
    (Method::POST, "/v1/queues/q/jobs:get"),
    (Method::GET, "/v1/queues/q/jobs/a"),
    (Method::GET, "/v1/queues/q/jobs/a/body"),
    (Method::GET, "/v1/queues/q/stats"),
    (Method::GET, "/v1/queues/q/events"),
    (Method::GET, "/v1/queues/q/schedules"),
    (Method::GET, "/v1/queues/q/schedules/nightly"),
    (Method::GET, "/v1/workers"),
    (Method::GET, "/v1/operations"),
    (Method::GET, "/v1/operations/q%2Fo"),
    (Method::GET, "/metrics"),
];

#[tokio::test(start_paused = true)]
async fn a_read_of_a_store_that_stands_still_is_answered_after_ten_seconds() {
    let client = Client::on(frozen().await);
    for (method, path) in READS {
        let body = if method == Method::POST { r#"{"ids":["a"]}"# } else { "" };
        let begun = Instant::now();
        let (status, problem) = client.call(method, path, body).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{path}: {problem}");
        assert_eq!((&problem["kind"], &problem["certainty"]), (&json!("unavailable"), &json!("not_applied")));
        assert!(begun.elapsed() <= READ_MAX, "{path}: {:?}", begun.elapsed());
    }
    assert_eq!(client.call(Method::GET, "/healthz", "").await.0, StatusCode::OK);
}

async fn ready(client: &Client) -> (StatusCode, Value) {
    let (status, answer) = client.call(Method::GET, "/readyz", "").await;
    (status, answer["kind"].clone())
}

#[tokio::test(start_paused = true)]
async fn a_store_that_reads_and_takes_no_jobs_is_not_ready_until_it_does_again() {
    // As on a full disk.
    let store = faulty(&[StorageVerb::Enqueue], Fault::Refuse).await;
    let client = Client::on(store.clone());
    let unready = (StatusCode::SERVICE_UNAVAILABLE, json!("unavailable"));
    assert_eq!(ready(&client).await, unready);
    assert_eq!(client.call(Method::GET, "/healthz", "").await.0, StatusCode::OK);
    store.heal();
    advance(AGE).await;
    assert_eq!(ready(&client).await, (StatusCode::OK, Value::Null));
    advance(AGE).await;
    store.next(StorageVerb::Enqueue, 1, &Fault::HoldUntil(Gate::shut()));
    let begun = Instant::now();
    assert_eq!(ready(&client).await, unready);
    assert!(begun.elapsed() <= Readiness::LOOK_MAX);
    advance(AGE).await;
    store.close().await.expect("memory closes");
    assert_eq!(ready(&client).await, (StatusCode::SERVICE_UNAVAILABLE, json!("closed")));
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_the_store_is_asked_once_a_second_and_keeps_no_job() {
    // The delay of no time makes the calls count.
    let store = faulty(&[StorageVerb::Enqueue], Fault::Delay(Duration::ZERO)).await;
    let client = Client::on(store.clone());
    for _ in 0..2 {
        let asked = (0..1_000).map(|_| ready(&client));
        let answers = futures_util::future::join_all(asked).await;
        assert!(answers.iter().all(|(status, _)| *status == StatusCode::OK));
        advance(AGE).await;
    }
    assert_eq!(store.tally().of(FaultKind::Delay), 2);
    let counts = store.counts(&QueueName::from_static("queue.probe")).await.expect("memory counts");
    assert_eq!(counts.total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_look_whose_caller_has_gone_holds_nobody_up() {
    let store = frozen().await;
    let client = Client::on(store.clone());
    drop(tokio::time::timeout(AGE, ready(&client)).await);
    store.heal();
    advance(Readiness::LOOK_MAX).await;
    assert_eq!(ready(&client).await.0, StatusCode::OK);
}
