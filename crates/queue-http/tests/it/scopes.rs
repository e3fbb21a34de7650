//! Every call of the description with every scope: one that is not in the description does not
//! exist, since both are made from one table.

use crate::client::Client;
use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use queue_core::SeededRng;
use queue_http::{Principal, ReceiptKeys, Scope, Service};
use serde_json::Value;
use tower::ServiceExt;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];

fn method(name: &str) -> Method {
    Method::from_bytes(name.to_uppercase().as_bytes()).expect("a method")
}

fn path_of(pattern: &str) -> String {
    pattern
        .replace("{queue}", "q")
        .replace("{id}", "a")
        .replace("{operation}", "o")
        .replace("{schedule}", "s")
}

#[tokio::test]
async fn a_call_needs_its_own_scope_and_no_other_opens_it() {
    let client = Client::new().await;
    let description = client.get("/v1/openapi.json").await;
    let paths = description["paths"].as_object().expect("there are paths");
    let mut calls = 0;
    for (pattern, item) in paths {
        for name in METHODS {
            let path = path_of(pattern);
            let Some(operation) = item.get(name) else {
                if name != "head" {
                    let status = client.status(method(name), &path).await;
                    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{name} {path}");
                }
                continue;
            };
            calls += 1;
            let needed = operation["tags"][0].as_str().expect("each call has the tag of its scope");
            for scope in Scope::ALL {
                let principal = |glob: &str| {
                    let globs = vec![glob.parse().expect("a pattern")];
                    Principal::new("t", [scope].into_iter().collect(), globs)
                };
                let is_open = needed == "open" || needed == scope.name();
                let status = client.as_principal(principal("*")).status(method(name), &path).await;
                assert_eq!(status == StatusCode::FORBIDDEN, !is_open, "{name} {path} with {scope}: {status}");
                let status = client.as_principal(principal("other")).status(method(name), &path).await;
                let is_closed = !is_open || (needed != "open" && pattern.contains("{queue}"));
                assert_eq!(
                    status == StatusCode::FORBIDDEN,
                    is_closed,
                    "{name} {path} in another queue: {status}"
                );
            }
        }
    }
    assert!(calls >= 40, "the description has {calls} calls");
}

#[tokio::test]
async fn a_request_without_a_principal_reaches_nothing_about_jobs() {
    let storage = queue::open("memory:").await.expect("memory is always there");
    let service = Service::new(storage, ReceiptKeys::generate(&SeededRng::new(1)));
    let description: Value = Client::new().await.get("/v1/openapi.json").await;
    for (pattern, item) in description["paths"].as_object().expect("there are paths") {
        for (name, operation) in item.as_object().expect("a path has calls") {
            let request = Request::builder()
                .method(method(name))
                .uri(path_of(pattern))
                .header("content-type", "application/json");
            let request = request.body(Body::from("{}")).expect("a request");
            let status = service.routed().oneshot(request).await.expect("it never fails").status();
            let is_open = operation["tags"][0] == "open";
            assert_eq!(status == StatusCode::UNAUTHORIZED, !is_open, "{name} {pattern}: {status}");
        }
    }
}

#[tokio::test]
async fn other_content_types_are_refused() {
    let client = Client::new().await;
    for content_type in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonx")]
    {
        let mut request = Request::builder().method(Method::POST).uri("/v1/queues/q/jobs");
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let request = request.body(Body::from(r#"{"jobs":[{"id":"a"}]}"#)).expect("a request");
        let routed = client.service.as_principal(Principal::anybody());
        let status = routed.oneshot(request).await.expect("it never fails").status();
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{content_type:?}");
    }
    let (status, _) = client.call(Method::GET, "/v1/queues/q/jobs/a", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_face_for_remote_stores_needs_its_own_scope() {
    let face = tower::service_fn(async |request: Request<queue_http::AnswerBody>| {
        let path = request.uri().path().to_owned();
        Ok::<_, std::convert::Infallible>(axum::http::Response::new(Body::from(path)))
    });
    let storage = queue::open("memory:").await.expect("memory is always there");
    let service = Service::new(storage, ReceiptKeys::generate(&SeededRng::new(1))).with_store_face(face);
    let of = |scopes: &[Scope]| {
        Principal::new("t", scopes.iter().copied().collect(), vec!["*".parse().expect("a pattern")])
    };
    for (routed, expected) in [
        (service.routed(), StatusCode::UNAUTHORIZED),
        (service.as_principal(Principal::anybody()), StatusCode::FORBIDDEN),
        (service.as_principal(of(&[Scope::Store])), StatusCode::OK),
    ] {
        let request = Request::builder().method(Method::POST).uri("/store/v1/claim");
        let answer =
            routed.oneshot(request.body(Body::empty()).expect("a request")).await.expect("it never fails");
        assert_eq!(answer.status(), expected);
        if expected == StatusCode::OK {
            let body = axum::body::to_bytes(Body::new(answer.into_body()), 100).await.expect("a body");
            assert_eq!(&body[..], b"/claim");
        }
    }
}
