//! Waits for outcomes.

use crate::client::{Client, store_and_clock};
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

async fn wait(client: &Client, body: Value) -> (StatusCode, Value) {
    client.call(Method::POST, "/v1/queues/q/jobs:wait", body.to_string()).await
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_the_result_or_says_that_it_is_not_over() {
    let client = Client::new().await;
    client.enqueue("q", "a/b").await;
    let (status, pending) = wait(&client, json!({"id": "a/b", "wait_ms": 5000})).await;
    assert_eq!((status, &pending["outcome"]), (StatusCode::ACCEPTED, &json!("pending")));
    assert_eq!((&pending["state"], &pending["seq"]), (&json!("queued"), &json!(1)));
    let work = async {
        let job = client.claim("q", 1, 1).await.remove(0);
        client.settle(&job, "complete", json!({"result_base64": "AAEC", "content_type": "image/png"})).await
    };
    let waiting = client.call(Method::GET, "/v1/queues/q/jobs/a%2Fb/outcome?wait_ms=60000&seq=1", "");
    let ((status, outcome), _) = tokio::join!(waiting, work);
    assert_eq!((status, &outcome["outcome"]), (StatusCode::OK, &json!("completed")));
    assert_eq!((&outcome["result_base64"], &outcome["content_type"]), (&json!("AAEC"), &json!("image/png")));
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_about_the_life_that_it_names() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    client.post("/v1/queues/q/jobs:cancel", &json!({"ids": ["a"]})).await;
    let (status, outcome) = wait(&client, json!({"id": "a", "seq": 1, "wait_ms": 1000})).await;
    assert_eq!((status, &outcome["outcome"]), (StatusCode::OK, &json!("cancelled")));
    client.enqueue("q", "a").await;
    let (_, outcome) = wait(&client, json!({"id": "a", "seq": 1, "wait_ms": 1000})).await;
    assert_eq!(outcome["outcome"], "superseded");
    let (status, outcome) = wait(&client, json!({"id": "a", "seq": 2, "wait_ms": 1000})).await;
    assert_eq!((status, &outcome["outcome"]), (StatusCode::ACCEPTED, &json!("pending")));
    client.post("/v1/queues/q/jobs:delete", &json!({"ids": ["a"]})).await;
    let (_, outcome) = wait(&client, json!({"id": "a", "seq": 2})).await;
    assert_eq!(outcome["outcome"], "expired");
    let (status, outcome) = wait(&client, json!({"id": "a", "wait_ms": 1000})).await;
    assert_eq!((status, &outcome["outcome"]), (StatusCode::OK, &json!("unknown")));
}

#[tokio::test]
async fn a_job_that_could_not_start_in_time_is_cancelled_as_expired() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage);
    client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": "a", "expires_in_ms": 1000}]})).await;
    clock.advance(Duration::from_secs(2));
    assert!(client.claim("q", 1, 5).await.is_empty(), "it is too late to start it");
    let (_, outcome) = wait(&client, json!({"id": "a", "seq": 1})).await;
    assert_eq!((&outcome["outcome"], &outcome["reason"]), (&json!("cancelled"), &json!("expired")));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_closes_ends_its_waits() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let waiting = wait(&client, json!({"id": "a", "wait_ms": 60_000}));
    let closing = async {
        tokio::task::yield_now().await;
        client.service.begin_close();
    };
    let begun = tokio::time::Instant::now();
    let ((status, _), ()) = tokio::join!(waiting, closing);
    assert_eq!(status, StatusCode::ACCEPTED);
    assert!(begun.elapsed() < Duration::from_secs(1));
    let (status, problem) = client.call(Method::GET, "/readyz", "").await;
    assert_eq!((status, &problem["kind"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("closed")));
}
