//! Enqueue through the service.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_core::{Detail, JobId, QueueName, StorageExt};
use serde_json::json;

#[tokio::test]
async fn each_job_of_a_batch_has_its_own_answer() {
    let client = Client::new().await;
    client.enqueue("q", "taken").await;
    let body = json!({"jobs": [{"id": "new"}, {"id": "taken"}, {}]});
    let answer = client.post("/v1/queues/q/jobs", &body).await;
    let outcomes: Vec<_> = (0..3).map(|at| answer["jobs"][at]["outcome"].clone()).collect();
    assert_eq!(outcomes, ["queued", "duplicate", "queued"]);
    assert_eq!(answer["jobs"][1]["state"], "queued");
    assert_eq!(answer["jobs"][2]["id"].as_str().map(str::len), Some(32), "the server drew an id");
}

#[tokio::test]
async fn a_completed_job_answers_its_result_to_whoever_enqueues_it_again() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    client.settle(&job, "complete", json!({"result": {"pages": 3}})).await;
    let answer = client.post("/v1/queues/q/jobs", &json!({"jobs": [{"id": "a"}]})).await;
    assert_eq!(
        (&answer["jobs"][0]["outcome"], &answer["jobs"][0]["result"]),
        (&json!("completed"), &json!({"pages": 3}))
    );
}

#[tokio::test]
async fn one_invalid_job_refuses_the_call_and_nothing_is_stored() {
    let client = Client::new().await;
    for (invalid, place) in [
        (json!({"id": "a\nb"}), "jobs[1]: id:"),
        (json!({"id": "b", "tags": [""]}), "jobs[1]: tags:"),
        (json!({"id": "b", "kind": "queue.schedule"}), "jobs[1]: kind:"),
        (json!({"id": "b", "on_failure": "queue.x"}), "jobs[1]: on_failure:"),
        (json!({"id": "b", "max_attempts": 0}), "jobs[1]: max_attempts:"),
        (json!({"id": "b", "max_wait_ms": 5}), "jobs[1]: max_wait_ms:"),
        (json!({"id": "b", "expires_in_ms": 5, "delay_ms": 6}), "jobs[1]: "),
        (json!({"id": "b", "delay_ms": 4_000_000_000_000_000_u64}), "jobs[1]: delay_ms"),
        (json!({"id": "b", "payload": 1, "payload_base64": "AA=="}), "jobs[1]: payload: give it or"),
        (json!({"id": "b", "payload": 1, "content_type": "text/plain"}), "jobs[1]: content_type:"),
        (json!({"id": "b", "payload_base64": "?"}), "jobs[1]: payload_base64:"),
        (json!({"id": "b", "dely_ms": 5}), "jobs[1].dely_ms: unknown field `dely_ms`"),
        (json!({"id": "b", "priority": 40_000}), "jobs[1].priority: invalid value"),
    ] {
        let body = json!({"jobs": [{"id": "good"}, invalid]}).to_string();
        let (status, problem) = client.call(Method::POST, "/v1/queues/q/jobs", body).await;
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert_eq!(status, StatusCode::BAD_REQUEST, "{invalid} {detail}");
        assert!(detail.starts_with(place), "{invalid}: {detail}");
        assert_eq!((&problem["kind"], &problem["certainty"]), (&json!("invalid"), &json!("not_applied")));
    }
    let (status, _) = client.call(Method::GET, "/v1/queues/q/jobs/good", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn headers_that_occur_twice_are_refused() {
    let client = Client::new().await;
    let body = r#"{"jobs": [{"id": "a", "headers": {"x": "1", "x": "2"}}]}"#;
    let (status, problem) = client.call(Method::POST, "/v1/queues/q/jobs", body).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
}

#[tokio::test]
async fn a_payload_is_stored_as_it_was_written_and_handed_out_so() {
    let client = Client::new().await;
    for (at, payload) in [
        "123456789012345678901234567890.000",
        "1e400",
        "-0",
        "{ \"b\" : 1,\n \"a\":[ ] }",
        "\"\\ud83d\\ude00 \\u00e9 é\"",
        "null",
        "[]",
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("job-{at}");
        let (status, _) = client
            .call(Method::PUT, &format!("/v1/queues/q/jobs/{id}"), format!("{{\"payload\":{payload}}}"))
            .await;
        assert_eq!(status, StatusCode::CREATED);
        let stored = client
            .storage
            .get_one(&QueueName::from_static("q"), &JobId::new(&id).expect("an id"), Detail::Full)
            .await
            .expect("the store answers")
            .and_then(|record| record.body)
            .expect("it is stored");
        assert_eq!(stored.payload.bytes, payload, "stored");
        assert_eq!(stored.payload.content_type.as_str(), "application/json");
        let body = crate::client::claim_of(at as u128 + 1, 1).to_string();
        let (_, text) = client.text(Method::POST, "/v1/queues/q/claim", body).await;
        assert!(text.contains(&format!("\"payload\":{payload},")), "{text}");
    }
}

#[tokio::test]
async fn an_atomic_call_and_a_call_of_single_jobs_store_the_same_jobs() {
    let client = Client::new().await;
    for (queue, atomic) in [("together", true), ("apart", false)] {
        let body = json!({"jobs": [{"id": "a"}, {"id": "b"}, {"id": "a"}], "atomic": atomic});
        let answer = client.post(&format!("/v1/queues/{queue}/jobs"), &body).await;
        let outcomes: Vec<_> = (0..3).map(|at| answer["jobs"][at]["outcome"].clone()).collect();
        assert_eq!(outcomes, ["queued", "queued", "duplicate"]);
    }
}

#[tokio::test]
async fn every_option_of_a_job_arrives() {
    let client = Client::new().await;
    let options = json!({
        "kind": "email", "payload": 1, "tags": ["b", "a"], "priority": -7, "delay_ms": 5000,
        "expires_in_ms": 60_000, "time_limit_ms": 1234, "max_attempts": "unlimited", "max_stalls": 9,
        "keep_completed": "forever", "keep_failed": "nothing", "on_failure": "mourn", "awaited": true,
        "headers": {"tenant": "7"},
    });
    let (status, _) = client.call(Method::PUT, "/v1/queues/q/jobs/a", options.to_string()).await;
    assert_eq!(status, StatusCode::CREATED);
    let job = client.get("/v1/queues/q/jobs/a").await;
    for (field, value) in [
        ("kind", json!("email")),
        ("tags", json!(["a", "b"])),
        ("priority", json!(-7)),
        ("scheduled", json!(true)),
        ("time_limit_ms", json!(1234)),
        ("max_attempts", json!("unlimited")),
        ("max_stalls", json!(9)),
        ("keep_completed", json!("forever")),
        ("keep_failed", json!("nothing")),
        ("on_failure", json!("mourn")),
        ("awaited", json!(true)),
    ] {
        assert_eq!(job[field], value, "{field}");
    }
    let run_in = job["run_at_ms"].as_i64().zip(job["created_at_ms"].as_i64()).map(|(due, at)| due - at);
    assert_eq!(run_in, Some(5000));
    assert_eq!(client.get("/v1/queues/q/jobs/a/body").await["headers"], json!({"tenant": "7"}));
}
