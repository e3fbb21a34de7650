//! Bodies that look like what a call takes, and are something else.

use crate::client::Client;
use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use queue_http::Principal;
use serde_json::{Value, json};
use tower::ServiceExt;

/// An object as it is, and the same fields by their position.
fn by_position() -> Vec<(&'static str, Value, Value)> {
    let settle = json!({"items": [{"receipt": "r", "complete": {}}]});
    vec![
        ("/v1/queues/q/jobs", json!({"jobs": [{"id": "a"}]}), json!([[{"id": "a"}]])),
        ("/v1/queues/q/jobs", json!({"jobs": [{}]}), json!({"jobs": [["b"]]})),
        ("/v1/queues/q/pause", json!({}), json!([])),
        ("/v1/queues/q/pause", json!({"for_ms": 1000}), json!([null, 1000])),
        ("/v1/queues/q/resume", json!({}), json!([null])),
        ("/v1/workers", json!({"worker": "w"}), json!(["w"])),
        ("/v1/workers:drain", json!({"worker": "w"}), json!(["w"])),
        ("/v1/queues/q/jobs:cancel", json!({"ids": ["a"]}), json!([["a"]])),
        (
            "/v1/queues/q/jobs:cancel",
            json!({"filter": {"states": ["queued"]}, "dry_run": true}),
            json!({"filter": [["queued"]], "dry_run": true}),
        ),
        ("/v1/settle", settle.clone(), json!([[{"receipt": "r", "complete": {}}]])),
        ("/v1/settle", settle.clone(), json!({"items": [["r", {}]]})),
        ("/v1/settle", settle, json!({"items": [{"receipt": "r", "complete": []}]})),
    ]
}

#[tokio::test]
async fn an_array_is_not_taken_for_an_object_by_position() {
    let client = Client::new().await;
    for (path, object, array) in by_position() {
        let (status, answer) = client.call(Method::POST, path, object.to_string()).await;
        assert!(status.is_success(), "{path} {object}: {status} {answer}");
        let (status, answer) = client.call(Method::POST, path, array.to_string()).await;
        assert_eq!((status, &answer["kind"]), (StatusCode::BAD_REQUEST, &json!("invalid")), "{path} {array}");
    }
    assert_eq!(client.state("q", "a").await, "cancelled");
}

#[tokio::test]
async fn data_of_a_job_may_be_any_json() {
    let client = Client::new().await;
    for (id, payload) in [("a", json!([1, [2, {"x": []}]])), ("b", json!({"y": 1.5e300})), ("c", json!(null))]
    {
        client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": id, "payload": payload}]})).await;
        let claimed = client.claim("q", u128::from(id.as_bytes()[0]), 1).await;
        assert_eq!(claimed[0]["payload"], payload);
    }
}

#[tokio::test]
async fn a_life_that_no_store_can_hold_is_refused() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    for seq in [1_u64 << 63, u64::MAX] {
        let path = format!("/v1/queues/q/jobs/a/outcome?seq={seq}");
        let (status, answer) = client.call(Method::GET, &path, "").await;
        assert_eq!((status, &answer["kind"]), (StatusCode::BAD_REQUEST, &json!("invalid")), "{seq}");
        let body = json!({"id": "a", "seq": seq, "wait_ms": 0});
        let (status, answer) = client.call(Method::POST, "/v1/queues/q/jobs:wait", body.to_string()).await;
        assert_eq!((status, &answer["kind"]), (StatusCode::BAD_REQUEST, &json!("invalid")), "{seq}");
    }
    let last = (1_u64 << 63) - 1;
    let (status, _) = client.call(Method::GET, &format!("/v1/queues/q/jobs/a/outcome?seq={last}"), "").await;
    assert!(status.is_success(), "{status}");
}

#[tokio::test]
async fn a_body_in_another_encoding_is_refused() {
    let client = Client::new().await;
    let routed = client.service.as_principal(Principal::anybody());
    let status = async |encoding: &str| {
        let request = Request::post("/v1/queues/q/jobs")
            .header("content-type", "application/json")
            .header("content-encoding", encoding)
            .body(Body::from(r#"{"jobs": [{}]}"#))
            .expect("it is a request");
        routed.clone().oneshot(request).await.expect("it never fails").status()
    };
    for encoding in ["gzip", "br", "gzip, identity", "x"] {
        assert_eq!(status(encoding).await, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{encoding}");
    }
    for encoding in ["identity", "Identity", ""] {
        assert_eq!(status(encoding).await, StatusCode::OK, "{encoding}");
    }
}
