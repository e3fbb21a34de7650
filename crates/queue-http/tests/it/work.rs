//! Claim, extend and settle through the service.

use crate::client::{Client, claim_of, store_and_clock};
use queue_core::SeededRng;
use queue_http::{Principal, ReceiptKeys, Scope};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

#[tokio::test]
async fn a_claimed_job_is_completed_with_its_receipt_and_again_without_harm() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 5).await.remove(0);
    assert_eq!((&job["id"], &job["attempt"], &job["payload"]), (&json!("a"), &json!(1), &json!({"n": 1})));
    for _ in 0..2 {
        let settled = client.settle(&job, "complete", json!({"result": 1})).await;
        assert_eq!(settled, json!({"outcome": "done", "state": "completed"}));
    }
    let other = client.settle(&job, "fail", json!({"error": {"name": "X"}})).await;
    assert_eq!(other["outcome"], "lease_lost", "it was settled otherwise");
}

#[tokio::test]
async fn a_settle_that_is_sent_again_with_another_result_or_error_changes_nothing() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    for result in [1, 2] {
        let settled =
            client.settle(&job, "complete", json!({"result": result, "keep": result * 60_000})).await;
        assert_eq!(settled, json!({"outcome": "done", "state": "completed"}));
    }
    assert_eq!(client.get("/v1/queues/q/jobs/a/outcome").await["result"], 1);
    let shown = client.get("/v1/queues/q/jobs/a").await;
    let time = |name: &str| shown[name].as_i64().expect("a time");
    assert_eq!(time("purge_at_ms") - time("finished_at_ms"), 60_000, "{shown}");
    client.enqueue("q", "b").await;
    let job = client.claim("q", 2, 1).await.remove(0);
    for name in ["First", "Second"] {
        let settled =
            client.settle(&job, "fail", json!({"error": {"name": name}, "cause": "terminal"})).await;
        assert_eq!(settled, json!({"outcome": "done", "state": "failed"}));
    }
    assert_eq!(client.get("/v1/queues/q/jobs/b/outcome").await["error"]["name"], "First");
}

#[tokio::test]
async fn a_failed_attempt_waits_and_a_final_one_does_not() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    let error = json!({"name": "Smtp", "message": "token=hunter2 no", "details": {"code": 550}});
    let settled = client.settle(&job, "fail", json!({"error": error, "delay_ms": 0})).await;
    assert_eq!((&settled["outcome"], &settled["state"]), (&json!("done"), &json!("failing")));
    let job = client.claim("q", 2, 1).await.remove(0);
    assert_eq!(job["attempt"], 2);
    assert!(
        !job["last_error"]["message"].as_str().expect("a message").contains("hunter2"),
        "secrets are masked"
    );
    let settled = client.settle(&job, "fail", json!({"error": error, "cause": "terminal"})).await;
    assert_eq!(settled["state"], "failed");
    let outcome = client.get("/v1/queues/q/jobs/a/outcome").await;
    assert_eq!(
        (&outcome["reason"], &outcome["error"]["details"]),
        (&json!("terminal"), &json!({"code": 550}))
    );
}

#[tokio::test]
async fn a_budget_of_failures_cannot_be_widened_by_its_worker() {
    let client = Client::new().await;
    client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": "a", "max_attempts": 2}]})).await;
    for (claim, state) in [(1, "failing"), (2, "failed")] {
        let job = client.claim("q", claim, 1).await.remove(0);
        let settled = client.settle(&job, "fail", json!({"error": {"name": "X"}, "delay_ms": 0})).await;
        assert_eq!(settled["state"], state);
    }
    assert_eq!(client.get("/v1/queues/q/jobs/a").await["reason"], "exhausted");
}

#[tokio::test]
async fn what_is_given_back_is_not_charged() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    for (claim, event, fields) in [
        (1, "release", json!({})),
        (2, "interrupt", json!({"progress": {"at": 4}})),
        (3, "snooze", json!({"delay_ms": 0, "progress_base64": "/w=="})),
        (4, "release", json!({"delay_ms": 0})),
    ] {
        let job = client.claim("q", claim, 1).await.remove(0);
        assert_eq!(job["attempt"], 1, "before {event}");
        assert_eq!(client.settle(&job, event, fields).await["state"], "queued", "{event}");
    }
    let job = client.claim("q", 5, 1).await.remove(0);
    assert_eq!((&job["progress_base64"], &job["epoch"]), (&json!("/w=="), &json!(5)));
}

#[tokio::test]
async fn jobs_follow_a_completion_in_the_same_step_and_only_once() {
    let client = Client::new().await;
    let first = json!({"jobs": [{"id": "a", "headers": {"traceparent": "00-abc"}}]});
    client.post("/v1/queues/q/jobs", &first).await;
    let job = client.claim("q", 1, 1).await.remove(0);
    for _ in 0..2 {
        let settled = client.settle(&job, "complete", json!({"then": [{"id": "b", "payload": 2}]})).await;
        assert_eq!(settled["outcome"], "done");
    }
    let next = client.claim("q", 2, 5).await;
    assert_eq!(next.len(), 1);
    assert_eq!(next[0]["headers"]["traceparent"], "00-abc", "the trace goes on");
}

#[tokio::test]
async fn the_follow_up_of_a_failed_job_comes_although_its_kind_is_in_no_receipt() {
    let client = Client::new().await;
    let first = json!({"jobs": [{"id": "a", "kind": "email", "on_failure": "mourn", "max_attempts": 1}]});
    client.post("/v1/queues/q/jobs", &first).await;
    let job = client.claim("q", 1, 1).await.remove(0);
    for _ in 0..2 {
        let settled = client.settle(&job, "fail", json!({"error": {"name": "X", "message": "no"}})).await;
        assert_eq!((&settled["outcome"], &settled["state"]), (&json!("done"), &json!("failed")));
    }
    let next = client.claim("q", 2, 5).await;
    assert_eq!(next.len(), 1);
    assert_eq!((&next[0]["kind"], &next[0]["payload"]["kind"]), (&json!("mourn"), &json!("email")));
}

#[tokio::test]
async fn a_worker_hears_of_a_cancel_with_its_heartbeat_and_its_failure_then_cancels() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    let asked =
        client.post("/v1/queues/q/jobs:cancel", &json!({"ids": ["a"], "processing": "request"})).await;
    assert_eq!(asked["items"][0]["outcome"], "requested");
    let items = json!([{"receipt": job["receipt"], "by_ms": 30_000, "progress": [1]}]);
    let extended = client.post("/v1/extend", &json!({"items": items})).await;
    assert_eq!(extended["items"][0]["cancel_requested"], true);
    let settled = client.settle(&job, "fail", json!({"error": {"name": "Stopped"}})).await;
    assert_eq!(settled["state"], "cancelled", "the receipt did not know of the cancel");
}

#[tokio::test]
async fn a_lost_lease_changes_nothing() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage);
    client.enqueue("q", "a").await;
    let first = client.claim("q", 1, 1).await.remove(0);
    clock.advance(Duration::from_secs(31));
    let items = json!([{"receipt": first["receipt"], "by_ms": 30_000}]);
    let extended = client.post("/v1/extend", &json!({"items": items})).await;
    assert_eq!(extended["items"][0]["outcome"], "lease_lost", "a lapsed lease is not extended");
    let second = client.claim("q", 2, 1).await.remove(0);
    assert_eq!((&second["attempt"], &second["epoch"]), (&json!(2), &json!(2)), "a stall was charged");
    let late = client.settle(&first, "complete", json!({"result": "zombie"})).await;
    assert_eq!(late, json!({"outcome": "lease_lost"}));
    assert_eq!(client.settle(&second, "complete", json!({"result": "right"})).await["outcome"], "done");
    assert_eq!(client.get("/v1/queues/q/jobs/a/outcome").await["result"], "right");
}

#[tokio::test]
async fn a_job_that_is_not_kept_is_told_with_the_state_that_it_ended_in() {
    let client = Client::new().await;
    let jobs = json!({"jobs": [{"id": "a", "keep_completed": "nothing"}, {"id": "b", "keep_failed": 0}]});
    client.post("/v1/queues/q/jobs", &jobs).await;
    let jobs = client.claim("q", 1, 2).await;
    let done = client.settle(&jobs[0], "complete", json!({})).await;
    assert_eq!(done, json!({"outcome": "done", "state": "completed"}));
    let failed = client.settle(&jobs[1], "fail", json!({"error": {"name": "X"}, "cause": "terminal"})).await;
    assert_eq!(failed, json!({"outcome": "done", "state": "failed"}));
    assert_eq!(client.settle(&jobs[0], "complete", json!({})).await, json!({"outcome": "missing"}));
}

#[tokio::test]
async fn one_bad_item_does_not_hold_up_the_others() {
    let client = Client::new().await;
    for id in ["a", "b", "c"] {
        client.enqueue("q", id).await;
    }
    let jobs = client.claim("q", 1, 3).await;
    let large = "x".repeat(2 << 20);
    let items = json!([
        {"receipt": jobs[0]["receipt"], "complete": {"result": large}},
        {"receipt": jobs[1]["receipt"], "complete": {}},
        {"receipt": jobs[2]["receipt"], "complete": {}, "release": {}},
        {"receipt": jobs[2]["receipt"]},
        {"receipt": "v1.nonsense", "complete": {}},
    ]);
    let answer = client.post("/v1/settle", &json!({"items": items})).await;
    let outcomes: Vec<&Value> = (0..5).map(|at| &answer["items"][at]["outcome"]).collect();
    assert_eq!(outcomes, ["refused", "done", "refused", "refused", "refused"]);
    assert_eq!(answer["items"][0]["problem"]["status"], 413);
    assert_eq!(client.state("q", "a").await, "processing", "it is still held");
}

#[tokio::test]
async fn another_server_with_the_same_keys_settles_and_one_with_others_does_not() {
    let (storage, _) = store_and_clock();
    let keys = Arc::new(ReceiptKeys::generate(&SeededRng::new(1)));
    let [one, other] = [1, 2].map(|_| Client::with_keys(storage.clone(), keys.clone()));
    let stranger = Client::with_keys(storage, Arc::new(ReceiptKeys::generate(&SeededRng::new(2))));
    one.enqueue("q", "a").await;
    let job = one.claim("q", 1, 1).await.remove(0);
    assert_eq!(stranger.settle(&job, "complete", json!({})).await["outcome"], "refused");
    assert_eq!(other.settle(&job, "complete", json!({})).await["outcome"], "done");
}

#[tokio::test]
async fn claims_that_are_out_of_bounds_are_refused() {
    let client = Client::new().await;
    for (field, value) in [
        ("limit", json!(0)),
        ("limit", json!(1001)),
        ("lease_ms", json!(999)),
        ("lease_ms", json!(3_600_001)),
        ("wait_ms", json!(60_001)),
        ("claim_id", json!("+f0c6a0e9b1d4c7f8a2b3c4d5e6f7081")),
        ("claim_id", json!("5f")),
        ("worker", json!("")),
        ("worker", json!("x".repeat(129))),
        ("worker", json!("a\u{0}b")),
        ("wait", json!(1)),
    ] {
        let mut body = claim_of(1, 1);
        body[field] = value;
        let (status, _) = client.call(axum::http::Method::POST, "/v1/queues/q/claim", body.to_string()).await;
        assert_eq!(status, 400, "{body}");
    }
}

#[tokio::test]
async fn a_receipt_is_worth_nothing_to_whoever_may_not_work_on_its_queue() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    let scopes = [Scope::Work].into_iter().collect();
    let other = client.as_principal(Principal::new("o", scopes, vec!["other".parse().expect("a pattern")]));
    let settled = other.settle(&job, "complete", json!({})).await;
    assert_eq!((&settled["outcome"], &settled["problem"]["status"]), (&json!("refused"), &json!(403)));
    let items = json!([{"receipt": job["receipt"], "by_ms": 30_000}]);
    let extended = other.post("/v1/extend", &json!({"items": items})).await;
    assert_eq!(extended["items"][0]["problem"]["kind"], "forbidden");
    let shown = client.get("/v1/queues/q/jobs/a").await;
    assert_eq!((&shown["state"], &shown["revision"]), (&json!("processing"), &json!(2)), "nothing changed");
    let same = client.as_principal(Principal::new("p", scopes, vec!["q".parse().expect("a pattern")]));
    assert_eq!(same.settle(&job, "complete", json!({})).await["outcome"], "done");
}
