//! Limits and partitions over HTTP: set, shown, refused and listed.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_http::{Principal, Scope};
use serde_json::{Value, json};

const LIMITS: &str = "/v1/queues/q/limits";
const PARTITIONS: &str = "/v1/queues/q/partitions";

async fn put(client: &Client, body: &Value) -> (StatusCode, Value) {
    client.call(Method::PUT, LIMITS, body.to_string()).await
}

async fn enqueue(client: &Client, partition: &str, count: usize) {
    let jobs: Vec<Value> = (0..count).map(|_| json!({"partition": partition})).collect();
    client.post("/v1/queues/q/jobs", &json!({"jobs": jobs})).await;
}

#[tokio::test]
async fn what_is_named_is_set_or_taken_away_and_the_rest_stays() {
    let client = Client::new().await;
    assert_eq!(client.get(LIMITS).await, json!({"each": null, "unpartitioned": null, "partitions": {}}));
    let first = json!({
        "each": {"running": 3}, "unpartitioned": {"weight": 2},
        "partitions": {"each": {"running": 10, "weight": 5}, "old": {"running": 0}}});
    assert_eq!(put(&client, &first).await, (StatusCode::OK, json!({"outcome": "done"})));
    let shown = json!({
        "each": {"running": 3, "weight": 1}, "unpartitioned": {"running": null, "weight": 2},
        "partitions": {"each": {"running": 10, "weight": 5}, "old": {"running": 0, "weight": 1}}});
    assert_eq!(client.get(LIMITS).await, shown);
    assert_eq!(put(&client, &shown).await.0, StatusCode::OK, "what is shown can be put");
    assert_eq!(client.get(LIMITS).await, shown);
    let second = json!({"each": null, "partitions": {"old": null, "never": null, "free": {}}});
    assert_eq!(put(&client, &second).await.0, StatusCode::OK);
    let free = json!({"running": null, "weight": 1});
    assert_eq!(
        client.get(LIMITS).await,
        json!({
            "each": null, "unpartitioned": {"running": null, "weight": 2},
            "partitions": {"each": {"running": 10, "weight": 5}, "free": free}})
    );
}

#[tokio::test]
async fn what_cannot_be_a_limit_is_refused_by_the_name_of_its_field_and_nothing_is_set() {
    let client = Client::new().await;
    let long = "x".repeat(256);
    for (body, says) in [
        ("{}".to_owned(), "at least one"),
        (json!({"partitions": {}}).to_string(), "at least one"),
        (json!({"every": {"running": 1}}).to_string(), "every"),
        (json!({"each": {"running": 1, "wait": 1}}).to_string(), "each.wait"),
        (json!({"each": {"running": -1}}).to_string(), "each.running: "),
        (json!({"each": {"running": 4_294_967_296_u64}}).to_string(), "each.running: "),
        (json!({"each": 3}).to_string(), "each: "),
        (json!({"each": [3, 1]}).to_string(), "each: "),
        (json!({"each": {"weight": 0}}).to_string(), "each: a weight"),
        (json!({"each": {"weight": 1_001}}).to_string(), "each: a weight"),
        (json!({"unpartitioned": {"running": 1}}).to_string(), "unpartitioned: "),
        (json!({"partitions": [{"running": 1}]}).to_string(), "partitions: "),
        (json!({"partitions": {"acme": {"running": "1"}}}).to_string(), "partitions.acme.running: "),
        (
            json!({"partitions": {"a": {"running": 1}, "acme": {"weight": 0}}}).to_string(),
            "partitions[\"acme\"]: ",
        ),
        (json!({"partitions": {"": {"running": 1}}}).to_string(), "partitions[\"\"]: "),
        (json!({"partitions": {"a\nb": null}}).to_string(), "partitions[\"a\\nb\"]: "),
        (json!({"partitions": {&long: {"running": 1}}}).to_string(), "255 bytes"),
        (r#"{"partitions": {"a": {"running": 1}, "a": {"running": 2}}}"#.to_owned(), "given twice"),
        (r#"{"each": {"running": 1}, "each": null}"#.to_owned(), "each"),
    ] {
        let (status, problem) = client.call(Method::PUT, LIMITS, body.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}: {problem}");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(detail.contains(says), "{body}: {detail}");
    }
    let many: serde_json::Map<String, Value> = (0..10_001).map(|key| (format!("{key}"), json!({}))).collect();
    let (status, problem) = put(&client, &json!({"partitions": many})).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{problem}");
    assert_eq!(client.get(LIMITS).await["partitions"], json!({}));
}

#[tokio::test]
async fn partitions_are_listed_page_by_page_and_a_blocked_job_says_for_what_it_waits() {
    let client = Client::new().await;
    put(&client, &json!({"each": {"running": 1}, "partitions": {"idle": {"running": 2, "weight": 3}}})).await;
    enqueue(&client, "acme", 3).await;
    enqueue(&client, "zeta", 1).await;
    client.claim("q", 1, 1).await;
    let first = client.get(&format!("{PARTITIONS}?limit=2")).await;
    let (acme, idle) = (&first["partitions"][0], &first["partitions"][1]);
    assert_eq!(
        *acme,
        json!({
            "partition": "acme", "leases": 1, "limit": {"running": 1, "weight": 1}, "has_own_limit": false,
            "is_full": true, "waiting": 2, "oldest_due_age_ms": acme["oldest_due_age_ms"].as_u64().expect("due")})
    );
    assert_eq!(
        *idle,
        json!({
            "partition": "idle", "leases": 0, "limit": {"running": 2, "weight": 3}, "has_own_limit": true,
            "is_full": false, "waiting": 0, "oldest_due_age_ms": null})
    );
    assert_eq!(first["next"], json!("idle"));
    let last = client.get(&format!("{PARTITIONS}?after=idle")).await;
    assert_eq!((&last["partitions"][0]["partition"], &last["next"]), (&json!("zeta"), &Value::Null));
    for bad in ["limit=0", "limit=1001", "after=", "before=a"] {
        let (status, _) = client.call(Method::GET, &format!("{PARTITIONS}?{bad}"), "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{bad}");
    }

    let jobs = client.get("/v1/queues/q/jobs?state=queued&partition=acme").await;
    let id = jobs["jobs"][0]["id"].as_str().expect("one waits").to_owned();
    let job = client.get(&format!("/v1/queues/q/jobs/{id}")).await;
    assert_eq!(job["waits_for_slot"], json!({"leases": 1, "running": 1}));
    put(&client, &json!({"partitions": {"acme": {"running": 2}}})).await;
    let job = client.get(&format!("/v1/queues/q/jobs/{id}")).await;
    assert_eq!(job.get("waits_for_slot"), None, "it waits for a worker");

    let (_, text) = client.text(Method::GET, "/metrics", "").await;
    assert!(text.contains("queue_partitions_full{messaging_destination_name=\"q\"} 0"), "{text}");
    put(&client, &json!({"partitions": {"acme": {"running": 1}}})).await;
    let (_, text) = client.text(Method::GET, "/metrics", "").await;
    assert!(text.contains("queue_partitions_full{messaging_destination_name=\"q\"} 1"), "{text}");
    assert!(!text.contains("acme"), "no key is a label: {text}");
}

#[tokio::test]
async fn a_viewer_reads_limits_and_an_operator_sets_them() {
    let client = Client::new().await;
    let with = |scope| {
        let globs = vec!["q".parse().expect("a pattern")];
        client.as_principal(Principal::new("t", [scope].into_iter().collect(), globs))
    };
    let (viewer, operator) = (with(Scope::View), with(Scope::Operate));
    assert_eq!(put(&viewer, &json!({"each": {"running": 1}})).await.0, StatusCode::FORBIDDEN);
    assert_eq!(put(&operator, &json!({"each": {"running": 1}})).await.0, StatusCode::OK);
    assert_eq!(viewer.get(LIMITS).await["each"]["running"], json!(1));
    assert_eq!(operator.call(Method::GET, LIMITS, "").await.0, StatusCode::FORBIDDEN);
    let library = "/v1/queues/queue.operations/limits";
    let (status, _) = client.call(Method::PUT, library, json!({"each": null}).to_string()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "the queues of the library have none");
}
