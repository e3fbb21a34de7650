//! Claims whose answers never arrived.

use crate::client::{Client, claim_of, store_and_clock};
use axum::{
    body::Body,
    http::{Method, Request},
};
use queue_core::{ClaimRequest, Claimed, Error, ErrorKind, Result, Storage, StorageLayer};
use queue_http::Principal;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tower::ServiceExt;

/// A store whose first claim leases and then loses its answer.
#[derive(Debug)]
struct Forgetful {
    inner: Arc<dyn Storage>,
    has_lost: AtomicBool,
}

#[async_trait::async_trait]
impl StorageLayer for Forgetful {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.inner
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let answer = self.inner.claim(request).await;
        if self.has_lost.swap(true, Ordering::Relaxed) {
            return answer;
        }
        Err(Error::new(ErrorKind::Unavailable, "claim", "reset by db-7.internal").unknown())
    }
}

#[tokio::test]
async fn what_the_store_leased_without_an_answer_goes_back_and_the_worker_hears_so() {
    let inner = queue::open("memory:").await.expect("memory is always there");
    let client = Client::on(Arc::new(Forgetful { inner, has_lost: AtomicBool::new(false) }));
    client.enqueue("q", "a").await;
    let body = claim_of(1, 1).to_string();
    let (status, problem) = client.call(Method::POST, "/v1/queues/q/claim", body).await;
    assert_eq!((status.as_u16(), &problem["certainty"]), (503, &json!("not_applied")));
    assert!(!problem.to_string().contains("db-7"), "{problem}");
    until_state(&client, "a", "queued").await;
    assert_eq!(client.claim("q", 2, 1).await[0]["attempt"], 1, "nothing was charged");
}

pub(crate) fn claim_request(body: &Value) -> Request<Body> {
    let request = Request::builder()
        .method(Method::POST)
        .uri("/v1/queues/q/claim")
        .header("content-type", "application/json");
    request.body(Body::from(body.to_string())).expect("a request")
}

/// Lets the tasks of the service run until a job is in a state.
async fn until_state(client: &Client, id: &str, state: &str) {
    for _ in 0..1000 {
        if client.state("q", id).await == state {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{id} is {}, not {state}", client.state("q", id).await);
}

#[tokio::test]
async fn an_answer_that_nobody_took_gives_its_jobs_back_uncharged() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let routed = client.service.as_principal(Principal::anybody());
    let answer = routed.oneshot(claim_request(&claim_of(1, 1))).await.expect("it never fails");
    assert_eq!(client.state("q", "a").await, "processing");
    drop(answer);
    until_state(&client, "a", "queued").await;
    assert_eq!(client.claim("q", 2, 1).await[0]["attempt"], 1, "nothing was charged");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_goes_away_while_it_waits_takes_no_job_with_it() {
    let client = Client::new().await;
    let mut body = claim_of(1, 1);
    body["wait_ms"] = json!(60_000);
    let routed = client.service.as_principal(Principal::anybody());
    let waiting =
        tokio::time::timeout(std::time::Duration::from_secs(2), routed.oneshot(claim_request(&body)));
    assert!(waiting.await.is_err(), "it waits");
    client.enqueue("q", "a").await;
    assert_eq!(client.claim("q", 2, 1).await.len(), 1, "the job is there for others");
}

#[tokio::test]
async fn a_claim_that_is_repeated_tells_what_is_held_and_leases_nothing() {
    let client = Client::new().await;
    for id in ["a", "b", "c"] {
        client.enqueue("q", id).await;
    }
    let first = client.claim("q", 1, 2).await;
    let mut body = claim_of(1, 2);
    body["repeat"] = json!(true);
    for _ in 0..2 {
        let again = client.post("/v1/queues/q/claim", &body).await;
        let told = |jobs: &[Value]| {
            jobs.iter().map(|job| (job["id"].clone(), job["epoch"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(told(again["jobs"].as_array().expect("jobs")), told(&first));
        assert_eq!(again["jobs"][0]["payload"], json!({"n": 1}));
    }
    assert_eq!(client.state("q", "c").await, "queued");
    let again = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!(client.settle(&again["jobs"][0], "complete", json!({})).await["outcome"], "done");
    let again = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!(again["jobs"].as_array().map(Vec::len), Some(1), "what was settled is not held");
}

#[tokio::test]
async fn nobody_finds_the_claim_of_somebody_else() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    client.claim("q", 1, 1).await;
    let mut body = claim_of(1, 1);
    body["repeat"] = json!(true);
    let queues = || vec!["*".parse().expect("a pattern")];
    let other = client.as_principal(Principal::new("other", Principal::anybody().scopes(), queues()));
    assert_eq!(other.post("/v1/queues/q/claim", &body).await["jobs"], json!([]));
    body["worker"] = json!("w2");
    assert_eq!(client.post("/v1/queues/q/claim", &body).await["jobs"], json!([]));
    assert_eq!(client.state("q", "a").await, "processing");
}

#[tokio::test]
async fn jobs_that_the_repeated_answer_has_no_room_for_go_back() {
    let client = Client::new().await;
    for id in ["a", "b"] {
        let jobs = json!({"jobs": [{"id": id, "payload": "x".repeat(600)}]});
        client.post("/v1/queues/q/jobs", &jobs).await;
    }
    assert_eq!(client.claim("q", 1, 2).await.len(), 2);
    let mut body = claim_of(1, 2);
    body["repeat"] = json!(true);
    body["bytes_max"] = json!(1000);
    let again = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!((again["jobs"].as_array().map(Vec::len), &again["jobs"][0]["id"]), (Some(1), &json!("a")));
    until_state(&client, "b", "queued").await;
}

#[tokio::test]
async fn lapsed_jobs_are_not_told_again() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage);
    client.enqueue("q", "a").await;
    client.claim("q", 1, 1).await;
    clock.advance(std::time::Duration::from_secs(31));
    let mut body = claim_of(1, 1);
    body["repeat"] = json!(true);
    assert_eq!(client.post("/v1/queues/q/claim", &body).await["jobs"], json!([]));
    until_state(&client, "a", "queued").await;
}

#[tokio::test]
async fn a_claim_that_is_repeated_tells_its_jobs_in_the_order_in_which_they_should_start() {
    let client = Client::new().await;
    client.enqueue("q", "later").await;
    let first = json!({"jobs": [{"id": "first", "priority": -1}]});
    client.post("/v1/queues/q/jobs", &first).await;
    let ids = |jobs: &[Value]| jobs.iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
    let claimed = client.claim("q", 1, 2).await;
    assert_eq!(ids(&claimed), ["first", "later"]);
    let mut body = claim_of(1, 2);
    body["repeat"] = json!(true);
    let again = client.post("/v1/queues/q/claim", &body).await;
    assert_eq!(ids(again["jobs"].as_array().expect("jobs")), ["first", "later"]);
}

/// The connection of a worker that stops is cut, and the repetition of its claim may be read before
/// the claim itself.
#[tokio::test]
async fn a_claim_that_comes_behind_its_repetition_leases_nothing() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let mut body = claim_of(1, 1);
    body["repeat"] = json!(true);
    assert_eq!(client.post("/v1/queues/q/claim", &body).await["jobs"], json!([]));
    let (status, problem) = client.call(Method::POST, "/v1/queues/q/claim", claim_of(1, 1).to_string()).await;
    assert_eq!((status.as_u16(), &problem["certainty"]), (409, &json!("not_applied")));
    assert_eq!(client.state("q", "a").await, "queued");
    assert_eq!(client.claim("q", 2, 1).await.len(), 1, "a fresh claim gets it");
}
