//! A client of a service in the same process.

use crate::described;
use axum::{
    body::{Body, to_bytes},
    http::{Method, Request, StatusCode},
};
use queue_core::{ManualClock, SeededRng, Storage, Timestamp, lifecycle::Policy};
use queue_http::{Principal, ReceiptKeys, Routed, Service, ServiceLimits};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt;

/// A service with its store, and a client that may do everything.
pub(crate) struct Client {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) service: Service,
    routed: Routed,
}

impl Client {
    pub(crate) async fn new() -> Self {
        Self::on(queue::open("memory:").await.expect("memory is always there"))
    }

    pub(crate) fn on(storage: Arc<dyn Storage>) -> Self {
        Self::with_keys(storage, Arc::new(ReceiptKeys::generate(&SeededRng::new(7))))
    }

    pub(crate) fn with_keys(storage: Arc<dyn Storage>, keys: Arc<ReceiptKeys>) -> Self {
        Self::with(storage, keys, ServiceLimits::default())
    }

    /// A service with limits of its own.
    pub(crate) async fn with_limits(limits: ServiceLimits) -> Self {
        let storage = queue::open("memory:").await.expect("memory is always there");
        Self::with(storage, Arc::new(ReceiptKeys::generate(&SeededRng::new(7))), limits)
    }

    fn with(storage: Arc<dyn Storage>, keys: Arc<ReceiptKeys>, limits: ServiceLimits) -> Self {
        let service = Service::with(storage.clone(), keys, limits, Policy::default());
        let routed = service.as_principal(Principal::anybody());
        Self { storage, service, routed }
    }

    /// The same service for another caller.
    pub(crate) fn as_principal(&self, principal: Principal) -> Self {
        let routed = self.service.as_principal(principal);
        Self { storage: self.storage.clone(), service: self.service.clone(), routed }
    }

    /// The status and the JSON of an answer; null for an answer without any.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Body>,
    ) -> (StatusCode, Value) {
        let (status, text) = self.text(method.clone(), path, body).await;
        let answer = serde_json::from_str(&text).unwrap_or(Value::Null);
        described::check(&method, path, status, &answer);
        (status, answer)
    }

    /// The status of an answer, without its body, which may never end.
    pub(crate) async fn status(&self, method: Method, path: &str) -> StatusCode {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = request.body(Body::from("{}")).expect("it is a request");
        self.routed.clone().oneshot(request).await.expect("it never fails").status()
    }

    pub(crate) async fn text(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Body>,
    ) -> (StatusCode, String) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = request.body(body.into()).expect("it is a request");
        let answer = self.routed.clone().oneshot(request).await.expect("it never fails");
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(Body::new(body), usize::MAX).await.expect("the answer is whole");
        (parts.status, String::from_utf8(bytes.to_vec()).expect("answers are text"))
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call(Method::POST, path, body.to_string()).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.call(Method::GET, path, "").await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// Enqueues a job with this id and `{"n": 1}` as its payload.
    pub(crate) async fn enqueue(&self, queue: &str, id: &str) {
        let body = json!({"jobs": [{"id": id, "payload": {"n": 1}}]});
        let answer = self.post(&format!("/v1/queues/{queue}/jobs"), &body).await;
        assert_eq!(answer["jobs"][0]["outcome"], "queued");
    }

    /// Claims up to `limit` jobs without waiting.
    pub(crate) async fn claim(&self, queue: &str, claim: u128, limit: usize) -> Vec<Value> {
        let body = claim_of(claim, limit);
        let answer = self.post(&format!("/v1/queues/{queue}/claim"), &body).await;
        answer["jobs"].as_array().expect("there are jobs").clone()
    }

    /// Settles one job.
    pub(crate) async fn settle(&self, job: &Value, event: &str, fields: Value) -> Value {
        let mut item = json!({"receipt": job["receipt"]});
        item[event] = fields;
        let answer = self.post("/v1/settle", &json!({"items": [item]})).await;
        answer["items"][0].clone()
    }

    pub(crate) async fn state(&self, queue: &str, id: &str) -> String {
        let job = self.get(&format!("/v1/queues/{queue}/jobs/{id}")).await;
        job["state"].as_str().expect("a job has a state").to_owned()
    }
}

/// The body of a claim.
pub(crate) fn claim_of(claim: u128, limit: usize) -> Value {
    json!({"worker": "w", "claim_id": format!("{claim:032x}"), "limit": limit, "lease_ms": 30_000})
}

/// A store in memory whose clock is moved by hand.
pub(crate) fn store_and_clock() -> (Arc<dyn Storage>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
    let storage: Arc<dyn Storage> = Arc::new(queue::MemoryStorage::with_clock(clock.clone()));
    (storage, clock)
}
