//! Batches over HTTP: opened, filled from outside and from inside, sealed, ended and stopped.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_http::{Principal, Scope};
use serde_json::{Value, json};

const BATCH: &str = "/v1/queues/q/batches/import-7";

async fn open(client: &Client, body: &Value) -> Value {
    let (status, answer) = client.call(Method::PUT, BATCH, body.to_string()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

async fn add(client: &Client, ids: &[&str]) -> Value {
    let jobs: Vec<Value> = ids.iter().map(|id| json!({"id": id, "kind": "row"})).collect();
    client.post(&format!("{BATCH}/jobs"), &json!({"jobs": jobs})).await
}

/// The status, kind and reason of a call that is refused.
async fn refused(client: &Client, method: Method, path: &str, body: &Value) -> (u16, String, String) {
    let (status, problem) = client.call(method, path, body.to_string()).await;
    let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (status.as_u16(), word("kind"), word("reason"))
}

fn says(status: u16, kind: &str, reason: &str) -> (u16, String, String) {
    (status, kind.to_owned(), reason.to_owned())
}

#[tokio::test]
async fn a_batch_is_opened_filled_and_sealed_and_its_callback_gets_the_counts() {
    let client = Client::new().await;
    let spec =
        json!({"on_end": {"kind": "report", "payload": {"to": "ada", "digits": 0.10}}, "keep_ms": 60_000});
    let opened = open(&client, &spec).await;
    assert_eq!(open(&client, &spec).await, opened, "asked twice it is one batch");
    let seq = opened["seq"].as_u64().expect("a number");
    let added = add(&client, &["row-1", "row-2"]).await;
    assert_eq!(added["jobs"][0]["id"], format!("import-7@{seq}/row-1"));
    let again = add(&client, &["row-2", "row-3"]).await;
    let outcomes: Vec<&Value> = again["jobs"].as_array().unwrap().iter().map(|job| &job["outcome"]).collect();
    assert_eq!(outcomes, ["duplicate", "queued"]);
    assert_eq!(client.post(&format!("{BATCH}/seal"), &json!({})).await, json!({"outcome": "done"}));
    let jobs = client.claim("q", 1, 10).await;
    assert_eq!(jobs.len(), 3);
    client.settle(&jobs[0], "fail", json!({"error": {"name": "odd"}, "cause": "terminal"})).await;
    let child = json!({"result": 1, "members": [{"id": "child", "kind": "row"}]});
    assert_eq!(client.settle(&jobs[1], "complete", child).await["outcome"], "done");
    let shown = client.get(BATCH).await;
    assert_eq!(
        (&shown["state"], &shown["added"], &shown["waiting"]),
        (&json!("sealed"), &json!(4), &json!(2))
    );
    assert_eq!(shown["callbacks"][0]["id"], Value::Null, "it is not enqueued yet");
    client.settle(&jobs[2], "complete", json!({})).await;
    let child = client.claim("q", 2, 10).await;
    assert_eq!(child[0]["id"], format!("import-7@{seq}/child"), "{child:?}");
    client.settle(&child[0], "complete", json!({})).await;
    let report = client.claim("q", 3, 10).await;
    assert_eq!((report.len(), &report[0]["kind"]), (1, &json!("report")), "the callback is there at once");
    assert_eq!(client.get(BATCH).await["callbacks"][0]["id"], report[0]["id"]);
    let expected = json!({
        "batch": "import-7", "added": 4, "completed": 3, "failed": 1, "cancelled": 0, "timed_out": false,
        "was_cancelled": false, "payload": {"to": "ada", "digits": 0.10}});
    let payload = &report[0]["payload"];
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(payload[name], *value, "{name}: {payload}");
    }
    let listed = client.get("/v1/queues/q/batches").await;
    assert_eq!((&listed["batches"][0]["state"], &listed["next"]), (&json!("ended"), &Value::Null));
}

#[tokio::test]
async fn what_a_batch_does_not_take_is_refused_with_a_reason_and_nothing_is_stored() {
    let client = Client::new().await;
    let (put, post) = (Method::PUT, Method::POST);
    let jobs = format!("{BATCH}/jobs");
    let row = json!({"jobs": [{"id": "row-1"}]});
    assert_eq!(refused(&client, post.clone(), &jobs, &row).await, says(404, "not_found", "no_batch"));
    for path in [format!("{BATCH}/seal"), format!("{BATCH}/cancel"), format!("{BATCH}/abandon")] {
        assert_eq!(refused(&client, post.clone(), &path, &json!({})).await.0, 404, "{path}");
    }
    assert_eq!(client.call(Method::GET, BATCH, "").await.0, StatusCode::NOT_FOUND);
    open(&client, &json!({})).await;
    let other = json!({"timeout_ms": 1_000});
    assert_eq!(refused(&client, put.clone(), BATCH, &other).await, says(409, "invalid", "batch_exists"));
    client.post(&format!("{BATCH}/seal"), &json!({})).await;
    // An empty batch has ended with its seal, as soon as a worker asks for jobs of the queue.
    assert_eq!(client.claim("q", 1, 1).await, Vec::<Value>::new());
    assert_eq!(refused(&client, post.clone(), &jobs, &row).await, says(409, "invalid", "batch_ended"));
    let cancelled = refused(&client, post.clone(), &format!("{BATCH}/cancel"), &json!({})).await;
    assert_eq!(cancelled, says(409, "invalid", "batch_ended"));
    for (body, place) in [
        (json!({"on_end": {"kind": "queue.batch"}}), "on_end"),
        (json!({"on_end": {"kind": ""}}), "on_end"),
        (json!({"on_end": {}}), "kind"),
        (json!({"timeout_ms": 0}), ""),
        (json!({"keep_ms": u64::MAX}), ""),
        (json!({"callbacks_in": "queue.x"}), "callbacks_in"),
        (json!({"callbacks_in": ""}), "callbacks_in"),
        (json!({"on_edn": {"kind": "a"}}), "on_edn"),
        (json!({"on_timeout": "stop"}), "stop"),
    ] {
        let (status, problem) = client.call(put.clone(), "/v1/queues/q/batches/b", body.to_string()).await;
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(status.is_client_error() && detail.contains(place), "{body}: {status} {detail}");
    }
    for name in ["a@b", "a%2Fb", "%01", "%2E%2E", &"x".repeat(37)] {
        let path = format!("/v1/queues/q/batches/{name}");
        assert_eq!(refused(&client, put.clone(), &path, &json!({})).await.0, 400, "{name}");
    }
    assert_eq!(client.get("/v1/queues/q/batches").await["batches"].as_array().expect("a list").len(), 1);
}

#[tokio::test]
async fn a_sealed_batch_takes_members_from_its_members_alone() {
    let client = Client::new().await;
    open(&client, &json!({"on_success": {"kind": "done"}})).await;
    add(&client, &["row-1"]).await;
    client.enqueue("q", "plain").await;
    client.post(&format!("{BATCH}/seal"), &json!({})).await;
    let late = json!({"jobs": [{"id": "late"}]});
    let refusal = refused(&client, Method::POST, &format!("{BATCH}/jobs"), &late).await;
    assert_eq!(refusal, says(409, "invalid", "batch_sealed"));
    assert_eq!(add(&client, &["row-1"]).await["jobs"][0]["outcome"], "duplicate", "a repeat is no late add");
    let jobs = client.claim("q", 1, 10).await;
    let plain = jobs.iter().find(|job| job["id"] == "plain").expect("it is claimed");
    let outcome = client.settle(plain, "complete", json!({"members": [{"id": "sneaks"}]})).await;
    assert_eq!((&outcome["outcome"], &outcome["problem"]["kind"]), (&json!("refused"), &json!("invalid")));
    let row = jobs.iter().find(|job| job["id"] != "plain").expect("it is claimed");
    let reserved = client.settle(row, "complete", json!({"members": [{"kind": "queue.halt"}]})).await;
    assert_eq!(reserved["outcome"], "refused", "{reserved}");
    assert_eq!(client.get(BATCH).await["added"], 1);
    assert_eq!(client.settle(row, "complete", json!({"members": [{"id": "late"}]})).await["outcome"], "done");
    assert_eq!(client.get(BATCH).await["added"], 2);
}

#[tokio::test]
async fn a_batch_is_cancelled_with_its_members_or_abandoned_without_them() {
    let client = Client::new().await;
    open(&client, &json!({"on_failure": {"kind": "alarm"}})).await;
    add(&client, &["row-1", "row-2"]).await;
    assert_eq!(client.post(&format!("{BATCH}/cancel"), &json!({})).await, json!({"outcome": "requested"}));
    assert_eq!(client.get(BATCH).await["state"], "cancelling");
    let again = client.post(&format!("{BATCH}/cancel"), &json!({})).await;
    assert_eq!(again, json!({"outcome": "requested"}), "asked twice it is done once");
    assert_eq!(client.post(&format!("{BATCH}/abandon"), &json!({})).await, json!({"outcome": "done"}));
    assert_eq!(client.get(BATCH).await["state"], "abandoned");
    let opened = open(&client, &json!({})).await;
    assert!(opened["seq"].as_u64() > Some(1), "the name is free: {opened}");
    let jobs = json!({"jobs": [{"id": "late"}], "seq": 1});
    let first = json!({"seq": 1});
    let changes = ["seal", "cancel", "abandon"].map(|change| (format!("{BATCH}/{change}"), &first));
    for (path, body) in changes.into_iter().chain([(format!("{BATCH}/jobs"), &jobs)]) {
        let refusal = refused(&client, Method::POST, &path, body).await;
        assert_eq!(refusal, says(404, "not_found", "no_batch"), "a later batch of the name: {path}");
    }
    assert_eq!(client.get(BATCH).await["state"], "open");
}

/// A token opens and fills batches where it may enqueue, and its callbacks go nowhere else.
#[tokio::test]
async fn callbacks_go_only_where_the_token_may_enqueue() {
    let admin = Client::new().await;
    let queues = vec!["q".parse().expect("it is a pattern")];
    let producer = admin.as_principal(Principal::new("p", [Scope::Produce].into_iter().collect(), queues));
    open(&producer, &json!({"on_end": {"kind": "report"}, "callbacks_in": "q"})).await;
    add(&producer, &["row-1"]).await;
    let elsewhere = json!({"on_end": {"kind": "report"}, "callbacks_in": "payroll"});
    let refusal = refused(&producer, Method::PUT, "/v1/queues/q/batches/other", &elsewhere).await;
    assert_eq!(refusal, says(403, "forbidden", ""));
    for (method, path) in [(Method::GET, BATCH.to_owned()), (Method::POST, format!("{BATCH}/cancel"))] {
        assert_eq!(refused(&producer, method, &path, &json!({})).await.0, 403, "{path}");
    }
    producer.post(&format!("{BATCH}/seal"), &json!({})).await;
}

#[tokio::test]
async fn a_member_cannot_say_how_long_it_is_kept() {
    let client = Client::new().await;
    open(&client, &json!({})).await;
    add(&client, &["row-1"]).await;
    let jobs = client.claim("q", 1, 1).await;
    for keep in ["keep_completed", "keep_failed"] {
        let list = json!([{"kind": "row"}, {"kind": "row", keep: 60_000}]);
        let path = format!("{BATCH}/jobs");
        let refusal = client.call(Method::POST, &path, json!({"jobs": list}).to_string()).await;
        assert_eq!(refusal.0, StatusCode::BAD_REQUEST, "{}", refusal.1);
        assert!(
            refusal.1["detail"].as_str().unwrap().starts_with("jobs[1]: keep_completed"),
            "{}",
            refusal.1
        );
        let outcome = client.settle(&jobs[0], "complete", json!({"members": list})).await;
        assert_eq!(outcome["outcome"], "refused", "{outcome}");
    }
    assert_eq!(client.get(BATCH).await["added"], 1);
}

/// A job under such an id would stand in the way of a batch, or take the place of a schedule.
#[tokio::test]
async fn ids_of_the_library_are_refused_wherever_a_job_is_made() {
    let client = Client::new().await;
    open(&client, &json!({"on_end": {"kind": "report"}})).await;
    client.enqueue("q", "plain").await;
    let jobs = client.claim("q", 1, 1).await;
    for id in
        ["queue.batch:import-7", "queue.halt:import-7@1", "batch:import-7@1/end", "queue.schedule:nightly"]
    {
        let job = json!({"id": id, "on_waiting": "replace"});
        let list = json!({"jobs": [job]});
        assert_eq!(refused(&client, Method::POST, "/v1/queues/q/jobs", &list).await.0, 400, "{id}");
        let path = format!("/v1/queues/q/jobs/{}", id.replace('/', "%2F"));
        let put = refused(&client, Method::PUT, &path, &json!({"on_waiting": "replace"})).await;
        assert_eq!(put.0, 400, "{id}");
        let outcome = client.settle(&jobs[0], "complete", json!({"then": [job]})).await;
        assert_eq!(outcome["outcome"], "refused", "{id}");
    }
    for id in ["queues", "batch:7", "batch:7@noon"] {
        client.enqueue("q", id).await;
    }
    assert_eq!(client.get(BATCH).await["state"], "open");
}

#[tokio::test]
async fn a_callback_gets_every_digit_and_no_more_levels_than_a_reader_takes() {
    let client = Client::new().await;
    let payload = "{\"n\": 12345678901234567890123456789, \"exact\": 0.10, \"small\": 1e-400}";
    let spec = |payload: &str| format!("{{\"on_end\": {{\"kind\": \"report\", \"payload\": {payload}}}}}");
    assert_eq!(client.call(Method::PUT, BATCH, spec(payload)).await.0, StatusCode::OK);
    let other = payload.replace("789,", "788,");
    assert_eq!(client.call(Method::PUT, BATCH, spec(&other)).await.0, StatusCode::CONFLICT);
    client.post(&format!("{BATCH}/seal"), &json!({})).await;
    let claim = crate::client::claim_of(1, 1).to_string();
    let (_, text) = client.text(Method::POST, "/v1/queues/q/claim", claim).await;
    let kept = "{\"exact\":0.10,\"n\":12345678901234567890123456789,\"small\":1e-400}";
    assert!(text.contains(kept), "{text}");
    let deep = "[".repeat(64) + &"]".repeat(64);
    let (status, problem) = client.call(Method::PUT, "/v1/queues/q/batches/deep", spec(&deep)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(
        problem["detail"].as_str().is_some_and(|detail| detail.starts_with("on_end.payload: ")),
        "{problem}"
    );
}
