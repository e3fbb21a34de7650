//! Input that only an attacker sends.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_http::ServiceLimits;
use serde_json::{Value, json};

/// One segment of a path.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |escaped, byte| format!("{escaped}%{byte:02X}"))
}

#[tokio::test]
async fn ids_are_data_in_paths_and_in_bodies() {
    let client = Client::new().await;
    for id in [
        "a/b",
        "../../x",
        "%2F",
        "a b",
        "?x=1",
        "#",
        "é\u{1F600}",
        "jobs:cancel",
        "'; DROP TABLE job; --",
        "\u{202e}x",
        "+",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(["x".repeat(255), "\u{1F600}".repeat(63), "..".to_owned(), ".".to_owned()])
    {
        let path = format!("/v1/queues/{}/jobs/{}", escaped("q/ü"), escaped(&id));
        let (status, answer) = client.call(Method::PUT, &path, "{}").await;
        assert_eq!((status, &answer["id"]), (StatusCode::CREATED, &json!(id)));
        assert_eq!(client.get(&path).await["id"], id);
        let ids = json!({"ids": [id]});
        let found = client.post(&format!("/v1/queues/{}/jobs:get", escaped("q/ü")), &ids).await;
        assert_eq!(found["jobs"][0]["id"], id);
    }
}

#[tokio::test]
async fn names_that_break_the_rules_are_refused_before_anything_happens() {
    let client = Client::new().await;
    for id in ["%00", "a%0Ab", "%C2%85", "%FF", &"x".repeat(256)] {
        let (status, problem) = client.call(Method::PUT, &format!("/v1/queues/q/jobs/{id}"), "{}").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{id}: {problem}");
        let (status, _) = client.call(Method::PUT, &format!("/v1/queues/{id}/jobs/a"), "{}").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{id}");
    }
    let page = client.get("/v1/queues").await;
    assert_eq!(page["queues"], json!([]));
}

#[tokio::test]
async fn json_that_is_too_deep_is_refused_wherever_it_is() {
    let client = Client::new().await;
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let open = "[".repeat(1_000_000);
    let objects = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
    for value in [&deep, &open, &objects] {
        for body in [
            value.clone(),
            format!("{{\"jobs\":[{{\"payload\":{value}}}]}}"),
            format!("{{\"jobs\":{value}}}"),
            format!("{{\"jobs\":[{{\"keep_completed\":{value}}}]}}"),
            format!("{{\"jobs\":[{{\"tags\":{value}}}]}}"),
            format!("{{\"jobs\":[{{\"of_no_name\":{value}}}]}}"),
        ] {
            let (status, problem) = client.call(Method::POST, "/v1/queues/q/jobs", body).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
        }
    }
    let allowed = "[".repeat(60) + &"]".repeat(60);
    let body = format!("{{\"jobs\":[{{\"payload\":{allowed}}}]}}");
    let (status, _) = client.call(Method::POST, "/v1/queues/q/jobs", body).await;
    assert_eq!(status, StatusCode::OK);
}

/// Such JSON was stored, and the first to read it was who stumbled over it.
#[tokio::test]
async fn json_whose_text_is_no_unicode_is_refused_with_the_name_of_its_field() {
    let client = Client::new().await;
    for (payload, is_taken) in [(r#"{"a":"\ud83d\ude00"}"#, true), (r#"{"a":"\ud83d"}"#, false)] {
        let callback = format!(r#"{{"on_end":{{"kind":"k","payload":{payload}}}}}"#);
        for (method, path, body, field) in [
            (
                Method::POST,
                "/v1/queues/q/jobs",
                format!(r#"{{"jobs":[{{"payload":{payload}}}]}}"#),
                "payload",
            ),
            (Method::PUT, "/v1/queues/q/jobs/a", format!(r#"{{"payload":{payload}}}"#), "payload"),
            (Method::PUT, "/v1/queues/q/batches/b", callback, "on_end.payload"),
        ] {
            let (status, answer) = client.call(method, path, body).await;
            assert_eq!(status.is_success(), is_taken, "{path}: {answer}");
            let words = format!("{field}: text with half of a surrogate pair");
            assert!(is_taken || answer["detail"].to_string().contains(&words), "{answer}");
        }
    }
    let (_, jobs) = client.call(Method::GET, "/v1/queues/q/jobs", String::new()).await;
    assert!(!jobs.to_string().contains("d83d\""), "nothing of them is stored: {jobs}");
}

/// The objects around the data counted, so a lower limit left room for eight levels more.
#[tokio::test]
async fn a_lower_limit_of_depth_bounds_the_data_of_each_call_and_nothing_around_them() {
    let mut limits = ServiceLimits::default();
    limits.json_depth_max = 2;
    let client = Client::with_limits(limits).await;
    let data = |levels: usize| -> Value {
        serde_json::from_str(&("[".repeat(levels) + &"]".repeat(levels))).expect("it is JSON")
    };
    for (levels, is_taken) in [(2, true), (3, false)] {
        let job = json!({"payload": data(levels)});
        for (method, path, body) in [
            (Method::POST, "/v1/queues/q/jobs", json!({"jobs": [job]})),
            (Method::PUT, "/v1/queues/q/jobs/a", job.clone()),
            (Method::PUT, "/v1/queues/q/schedules/s", json!({"every_ms": 60_000, "job": job})),
        ] {
            let (status, answer) = client.call(method, path, body.to_string()).await;
            assert_eq!(status.is_success(), is_taken, "{path}, {levels} levels: {answer}");
            let words = format!("payload: at most {} levels", limits.json_depth_max);
            assert!(is_taken || answer["detail"].to_string().contains(&words), "{answer}");
        }
        for (at, (event, fields)) in [
            ("complete", json!({"result": data(levels)})),
            ("complete", json!({"then": [job]})),
            ("fail", json!({"error": {"name": "E", "details": data(levels)}})),
            ("interrupt", json!({"progress": data(levels)})),
        ]
        .into_iter()
        .enumerate()
        {
            let queue = format!("work-{levels}-{at}");
            client.post(&format!("/v1/queues/{queue}/jobs"), &json!({"jobs": [{}]})).await;
            let held = client.claim(&queue, 1, 1).await.remove(0);
            let beat = json!({"receipt": held["receipt"], "by_ms": 30_000, "progress": data(levels)});
            let beat = client.post("/v1/extend", &json!({"items": [beat]})).await;
            assert_eq!(beat["items"][0]["outcome"] == "done", is_taken, "{levels} levels: {beat}");
            let settled = client.settle(&held, event, fields).await;
            assert_eq!(settled["outcome"] == "done", is_taken, "{event}, {levels} levels: {settled}");
        }
    }
}

#[tokio::test]
async fn stored_json_that_is_too_deep_for_parsers_is_handed_out_as_base64() {
    use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName};
    let client = Client::new().await;
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let payload = Payload::new(deep, ContentType::from_static("application/json"));
    let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
    client.storage.enqueue(&QueueName::from_static("q"), vec![vec![job]]).await.expect("it is stored");
    let job = client.claim("q", 1, 1).await.remove(0);
    assert_eq!((&job["payload"], &job["content_type"]), (&Value::Null, &json!("application/json")));
    assert!(job["payload_base64"].as_str().is_some_and(|text| text.starts_with("W1tb")));
}

#[tokio::test]
async fn bodies_that_are_no_json_objects_are_refused() {
    let client = Client::new().await;
    for body in [
        "",
        "null",
        "[]",
        "{",
        "{}x",
        "{\"jobs\":1}",
        "{\"jobs\":[{\"id\":\"a\",\"id\":\"b\"}]}",
        "\u{feff}{}",
    ] {
        for path in
            ["/v1/queues/q/jobs", "/v1/queues/q/claim", "/v1/settle", "/v1/extend", "/v1/queues/q/jobs:wait"]
        {
            let (status, problem) = client.call(Method::POST, path, body).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path} {body}: {problem}");
        }
    }
    let (status, _) =
        client.call(Method::POST, "/v1/queues/q/jobs", &b"{\"jobs\":[{\"id\":\"\xff\"}]}"[..]).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "it is not UTF-8");
}

#[tokio::test]
async fn too_much_at_once_is_refused() {
    let client = Client::new().await;
    let many = json!({"jobs": vec![json!({}); 1001]}).to_string();
    let (status, problem) = client.call(Method::POST, "/v1/queues/q/jobs", many).await;
    assert_eq!((status, &problem["kind"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("invalid")));
    let large = format!("{{\"jobs\":[{{\"payload\":\"{}\"}}]}}", "x".repeat(9 << 20));
    let (status, _) = client.call(Method::POST, "/v1/queues/q/jobs", large).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let large = format!("{{\"jobs\":[{{\"payload\":\"{}\"}}]}}", "x".repeat(2 << 20));
    let (status, problem) = client.call(Method::POST, "/v1/queues/q/jobs", large).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{problem}");
    assert!(
        problem["detail"].as_str().is_some_and(|detail| detail.starts_with("jobs[0]: payload:")),
        "{problem}"
    );
}
