//! Schedules over HTTP: made, changed, looked at, paused and removed.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName, Tag, Tags};
use queue_http::{Principal, Scope};
use serde_json::{Value, json};

const NIGHTLY: &str = "/v1/queues/q/schedules/nightly";

async fn put(client: &Client, body: &Value) -> (StatusCode, Value) {
    client.call(Method::PUT, NIGHTLY, body.to_string()).await
}

#[tokio::test]
async fn a_schedule_is_created_once_changed_and_shown_as_it_was_put() {
    let client = Client::new().await;
    let job = json!({
        "kind": "report", "payload": {"day": "$queue.tick", "digits": 0.10}, "priority": -3, "max_attempts": "unlimited",
        "max_stalls": 2, "keep_completed": "nothing", "keep_failed": 5_000, "delay_ms": 7, "expires_in_ms": 9_000,
        "time_limit_ms": 60_000, "on_failure": "alarm", "headers": {"tenant": "7"}, "tags": ["night"]});
    let body = json!({
        "cron": "0 3 * * *", "zone": "Europe/Vienna", "job": job, "missed": "skip", "grace_ms": 60_000,
        "overlap": "cancel", "jitter_ms": 1_000, "spread_ms": 2_000});
    for (status, outcome) in [(StatusCode::CREATED, "created"), (StatusCode::OK, "unchanged")] {
        assert_eq!(put(&client, &body).await, (status, json!({"schedule": "nightly", "outcome": outcome})));
    }
    let shown = client.get(NIGHTLY).await;
    assert_eq!(shown["job"], job);
    for (name, value) in body.as_object().expect("an object") {
        assert_eq!(shown[name], *value, "{name}");
    }
    let listed = client.get("/v1/queues/q/schedules").await;
    assert_eq!(
        (&listed["schedules"][0]["cron"], &listed["schedules"][0]["job"]),
        (&body["cron"], &Value::Null)
    );
    let changed =
        json!({"every_ms": 60_000, "missed": "all", "catch_up": 3, "job": {"payload_base64": "AAE="}});
    assert_eq!(put(&client, &changed).await.1["outcome"], "changed");
    let shown = client.get(NIGHTLY).await;
    assert_eq!((&shown["every_ms"], &shown["catch_up"]), (&json!(60_000), &json!(3)));
    assert_eq!(shown["job"]["payload_base64"], "AAE=");
    let moments = json!({"at": ["2999-12-24T18:00:00+01:00", "2999-12-24T17:00:00Z"]});
    assert_eq!(put(&client, &moments).await.1["outcome"], "changed");
    assert_eq!(client.get(NIGHTLY).await["at"], json!(["2999-12-24T17:00:00Z"]));
    let ran = client.post(&format!("{NIGHTLY}/run"), &json!({})).await;
    assert!(ran["id"].as_str().expect("an id").starts_with("nightly@"), "{ran}");
    client.post(&format!("{NIGHTLY}/remove"), &json!({})).await;
    assert_eq!(client.call(Method::GET, NIGHTLY, "").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_cannot_be_a_schedule_is_refused_and_nothing_is_stored() {
    let client = Client::new().await;
    for (body, says) in [
        (json!({}), "one of"),
        (json!({"cron": "0 3 * * *", "every_ms": 1}), "one of"),
        (json!({"cron": "61 * * * *"}), "no cron pattern"),
        (json!({"cron": "0 0 30 2 *"}), "never fires"),
        (json!({"cron": "0,".repeat(400) + "0 * * * *"}), "512"),
        (json!({"cron": "0 3 * * *", "zone": "Europe/Wien"}), "time zone"),
        (json!({"every_ms": 60_000, "zone": "UTC"}), "zone:"),
        (json!({"every_ms": 0}), "repeat"),
        (json!({"every_ms": u64::MAX}), "repeat"),
        (json!({"at": []}), "at:"),
        (json!({"at": ["tomorrow"]}), "tomorrow"),
        (json!({"at": ["$queue.tick"]}), "no moment"),
        (json!({"at": ["2001-01-01T00:00:00Z"]}), "never fires"),
        (json!({"at": vec!["2999-01-01T00:00:00Z"; 1_001]}), "1000"),
        (json!({"every_ms": 60_000, "jitter_ms": 60_001}), "jitter"),
        (json!({"every_ms": 60_000, "catch_up": 3}), "catch_up:"),
        (json!({"every_ms": 60_000, "missed": "all", "catch_up": 0}), "at least one"),
        (json!({"every_ms": 60_000, "missed": "latest", "grace_ms": 3}), "grace_ms:"),
        (json!({"every_ms": 60_000, "overlap": "replace"}), "replace"),
        (json!({"every_ms": 60_000, "evry": 1}), "evry"),
        (json!({"every_ms": 60_000, "job": {"id": "a"}}), "job: `id` is no option"),
        (json!({"every_ms": 60_000, "job": {"on_failed": "replace"}}), "job: `on_failed` is no option"),
        (json!({"every_ms": 60_000, "job": {"awaited": true}}), "job: `awaited` is no option"),
        (json!({"every_ms": 60_000, "job": {"tags": [""]}}), "tags"),
        (json!({"every_ms": 60_000, "job": {"on_waiting": "replace"}}), "job: `on_waiting` is no option"),
        (json!({"every_ms": 60_000, "job": {"max_wait_ms": 5}}), "job: max_wait_ms:"),
        (json!({"every_ms": 60_000, "job": {"kind": "queue.schedule"}}), "job: kind:"),
        (json!({"every_ms": 60_000, "job": {"expires_in_ms": 5, "delay_ms": 9}}), "expires"),
        (json!({"every_ms": 60_000, "job": {"payload_base64": "JHF1ZXVlLnRpY2s="}}), "JSON"),
        (json!({"every_ms": 60_000, "job": {"payload": "x".repeat(1 << 20)}}), "payload"),
    ] {
        let (status, problem) = put(&client, &body).await;
        assert!(status.is_client_error(), "{body}: {status}");
        let detail = problem["detail"].as_str().expect("a problem says what is wrong");
        assert!(detail.contains(says), "{body}: {detail}");
    }
    for name in ["a@b", "%01", &"x".repeat(201)] {
        let path = format!("/v1/queues/q/schedules/{name}");
        let (status, _) = client.call(Method::PUT, &path, json!({"every_ms": 1_000}).to_string()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{name}");
    }
    let (status, _) = client
        .call(Method::PUT, "/v1/queues/queue.x/schedules/a", json!({"every_ms": 1_000}).to_string())
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(client.get("/v1/queues/q/schedules").await["schedules"], json!([]));
}

#[tokio::test]
async fn ticks_are_shown_before_and_after_a_schedule_is_made() {
    let client = Client::new().await;
    let spring = ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"];
    let ask =
        json!({"cron": "30 2 * * *", "zone": "Europe/Berlin", "from": "2026-03-28T00:00:00Z", "count": 3});
    assert_eq!(client.post("/v1/schedules:preview", &ask).await["next"], json!(spring));
    assert_eq!(
        client.post("/v1/schedules:preview", &json!({"every_ms": 1_000})).await["next"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
    put(&client, &json!({"cron": "30 2 * * *", "zone": "Europe/Berlin"})).await;
    let path = format!("{NIGHTLY}/next?count=3&from=2026-03-28T00:00:00Z");
    assert_eq!(client.get(&path).await["next"], json!(spring));
    assert_eq!(client.get(&format!("{NIGHTLY}/next?count=2")).await["next"].as_array().unwrap().len(), 2);
    for query in ["count=0", "count=101", "from=now", "before=1"] {
        let (status, _) = client.call(Method::GET, &format!("{NIGHTLY}/next?{query}"), "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
    }
    let (status, _) = client.call(Method::GET, "/v1/queues/q/schedules/other/next", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn who_may_not_enqueue_makes_no_schedule_and_who_may_not_see_payloads_sees_none() {
    let client = Client::new().await;
    let of = |scopes: &[Scope]| {
        let globs = vec!["*".parse().expect("a pattern")];
        client.as_principal(Principal::new("t", scopes.iter().copied().collect(), globs))
    };
    let body = json!({"every_ms": 60_000, "job": {"payload": "secret"}});
    assert_eq!(put(&of(&[Scope::Operate]), &body).await.0, StatusCode::FORBIDDEN);
    assert_eq!(put(&of(&[Scope::Produce]), &body).await.0, StatusCode::FORBIDDEN);
    assert_eq!(put(&of(&[Scope::Operate, Scope::Produce]), &body).await.0, StatusCode::CREATED);
    assert_eq!(of(&[Scope::View]).get(NIGHTLY).await["job"].get("payload"), None);
    assert_eq!(of(&[Scope::View, Scope::Payload]).get(NIGHTLY).await["job"]["payload"], "secret");
}

#[tokio::test]
async fn one_that_this_service_cannot_read_is_listed_beside_the_others() {
    let client = Client::new().await;
    put(&client, &json!({"every_ms": 60_000})).await;
    put_unreadable(&client, "q", "queue.schedule", "queue.schedule:martian").await;
    let listed = client.get("/v1/queues/q/schedules").await;
    assert_eq!(listed["schedules"][0]["schedule"], "nightly");
    let unreadable = &listed["unreadable"][0];
    assert_eq!(unreadable["schedule"], "martian");
    assert!(unreadable["error"].as_str().expect("a reason").contains("version 99"), "{unreadable}");
    let martian = "/v1/queues/q/schedules/martian";
    let (status, problem) = client.call(Method::GET, martian, "").await;
    assert_eq!(status, StatusCode::NOT_IMPLEMENTED, "{problem}");
    assert_eq!(client.post(&format!("{martian}/pause"), &json!({})).await["outcome"], "done");
    assert_eq!(client.post(&format!("{martian}/remove"), &json!({})).await["outcome"], "done");
}

#[tokio::test]
async fn an_operation_that_this_service_cannot_read_is_listed_for_whoever_may_operate_on_its_queue() {
    let client = Client::new().await;
    put_unreadable(&client, "queue.operations", "queue.operation", "mail/from-tomorrow").await;
    let listed = client.get("/v1/operations").await;
    assert_eq!(listed["operations"], json!([]));
    assert_eq!(listed["unreadable"][0]["operation"], "mail/from-tomorrow");
    for (pattern, count) in [("q", 0), ("mail", 1)] {
        let globs = vec![pattern.parse().expect("a glob")];
        let one_queue = Principal::new("ada", [Scope::Operate].into_iter().collect(), globs);
        let listed = client.as_principal(one_queue).get("/v1/operations").await;
        assert_eq!(listed["unreadable"].as_array().map(Vec::len), Some(count), "{pattern}");
    }
}

/// Stores a job of the library's own, in a layout that this version does not know.
async fn put_unreadable(client: &Client, queue: &str, kind: &str, id: &str) {
    let payload = Payload::new(r#"{"version":99}"#, ContentType::from_static("application/json"));
    let job = NewJob::new(JobId::new(id).expect("an id"), Kind::new(kind).expect("a kind"), payload);
    let job = job.with_tags(Tags::new([Tag::new(kind).expect("a tag")]).expect("one"));
    let queue = QueueName::new(queue).expect("a name");
    client.storage.enqueue(&queue, vec![vec![job]]).await.expect("it is stored");
}

/// A value for each property of a job that a schedule keeps, other than its default.
const KEPT: [(&str, &str); 16] = [
    ("kind", r#""report""#),
    ("payload", r#"{"day":"$queue.tick"}"#),
    ("payload_base64", r#""AAE=""#),
    ("content_type", r#""text/plain""#),
    ("headers", r#"{"tenant":"7"}"#),
    ("tags", r#"["night"]"#),
    ("partition", r#""acme""#),
    ("priority", "-3"),
    ("delay_ms", "7"),
    ("expires_in_ms", "9000"),
    ("time_limit_ms", "60000"),
    ("max_attempts", r#""unlimited""#),
    ("max_stalls", "2"),
    ("keep_completed", r#""nothing""#),
    ("keep_failed", "5000"),
    ("on_failure", r#""alarm""#),
];
const REFUSED: [&str; 5] = ["id", "on_failed", "on_waiting", "max_wait_ms", "awaited"];

#[tokio::test]
async fn each_property_of_a_job_is_kept_by_a_schedule_or_is_refused() {
    let described: Value =
        serde_json::from_str(include_str!("../../../../docs/service/openapi.json")).expect("JSON");
    let properties = described["components"]["schemas"]["NewJob"]["properties"].as_object().expect("a job");
    let mut known: Vec<&str> = KEPT.iter().map(|(name, _)| *name).chain(REFUSED).collect();
    known.sort_unstable();
    let mut all: Vec<&str> = properties.keys().map(String::as_str).collect();
    all.sort_unstable();
    assert_eq!(known, all, "a schedule keeps or refuses each property of a job");

    let client = Client::new().await;
    for (name, value) in KEPT {
        let mut job = json!({name: serde_json::from_str::<Value>(value).expect(name)});
        if name == "content_type" {
            job["payload_base64"] = json!("YQ==");
        }
        let (status, answer) = put(&client, &json!({"every_ms": 60_000, "job": job})).await;
        assert!(status.is_success(), "{name}: {answer}");
        assert_ne!(answer["outcome"], "unchanged", "{name}");
        assert_eq!(client.get(NIGHTLY).await["job"][name], job[name], "{name}");
    }
}
