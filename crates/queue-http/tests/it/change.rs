//! Changes of jobs by operators.

use crate::client::{Client, claim_of, store_and_clock};
use axum::http::{Method, StatusCode};
use queue_core::{ContentType, Duty, JobId, Kind, NewGate, NewJob, Payload, QueueName, WorkerId};
use queue_http::{Principal, Scope};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn each_id_has_its_own_answer() {
    let client = Client::new().await;
    for id in ["waits", "runs", "done"] {
        client.enqueue("q", id).await;
    }
    client.post("/v1/queues/q/jobs:cancel", &json!({"ids": ["waits"]})).await;
    client.post("/v1/queues/q/jobs:redrive", &json!({"ids": ["waits"]})).await;
    client.post("/v1/queues/q/jobs:reschedule", &json!({"ids": ["waits"], "delay_ms": 60_000})).await;
    let jobs = client.claim("q", 1, 5).await;
    let done = jobs.iter().find(|job| job["id"] == "done").expect("it was due");
    client.settle(done, "complete", json!({})).await;
    let ids = json!({"ids": ["waits", "runs", "done", "nowhere"]});
    let answer = client.post("/v1/queues/q/jobs:cancel", &ids).await;
    assert_eq!(
        answer["items"],
        json!([
            {"id": "waits", "outcome": "done", "state": "cancelled"},
            {"id": "runs", "outcome": "unchanged", "state": "processing"},
            {"id": "done", "outcome": "unchanged", "state": "completed"},
            {"id": "nowhere", "outcome": "missing"},
        ])
    );
}

#[tokio::test]
async fn options_of_another_change_are_refused() {
    let client = Client::new().await;
    for (verb, body) in [
        ("cancel", json!({"ids": ["a"], "priority": 3})),
        ("redrive", json!({"ids": ["a"], "processing": "leave"})),
        ("retain", json!({"ids": ["a"]})),
        ("reschedule", json!({"ids": ["a"]})),
        ("prioritize", json!({"ids": ["a"]})),
        ("reschedule", json!({"filter": {"states": ["queued"]}, "delay_ms": 1})),
        ("delete", json!({"ids": ["a"], "dry_run": true})),
        ("delete", json!({"ids": []})),
        ("delete", json!({"filter": {"states": []}})),
        ("delete", json!({"filter": {"states": ["failed"]}, "ids": ["a"]})),
        ("delete", json!({"filter": {"states": ["faild"]}})),
        ("delete", json!({"filter": {"states": ["processing"]}})),
        ("delete", json!({})),
    ] {
        let path = format!("/v1/queues/q/jobs:{verb}");
        let (status, problem) = client.call(Method::POST, &path, body.to_string()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{verb} {body}: {problem}");
    }
}

#[tokio::test]
async fn a_filter_starts_an_operation_that_a_runner_carries_out() {
    let client = Client::new().await;
    for number in 0..30 {
        client.enqueue("q", &format!("job-{number}")).await;
    }
    let filter = json!({"states": ["queued"], "id_prefix": "job-1"});
    let path = "/v1/queues/q/jobs:cancel";
    let counted = client.post(path, &json!({"filter": filter, "dry_run": true})).await;
    assert_eq!(counted, json!({"jobs": 11, "has_more": false}));
    let request = json!({"filter": filter, "operation": "stop"});
    for is_new in [true, false] {
        let (status, started) = client.call(Method::POST, path, request.to_string()).await;
        assert_eq!(
            (status, started),
            (StatusCode::ACCEPTED, json!({"operation": "q/stop", "is_new": is_new}))
        );
    }
    client.service.operations().worker().until_empty().build().expect("a worker").run().await;
    let ended = client.get("/v1/operations/q%2Fstop").await;
    assert_eq!((&ended["done"], &ended["is_over"]), (&json!(11), &json!(true)));
    assert_eq!(client.get("/v1/operations").await["operations"][0], ended);
    assert_eq!(client.state("q", "job-1").await, "cancelled");
    assert_eq!(client.state("q", "job-2").await, "queued");
}

#[tokio::test]
async fn a_filter_changes_gated_jobs_where_it_names_them_alone() {
    let client = Client::new().await;
    client.enqueue("q", "plain").await;
    let payload = Payload::new("1", ContentType::from_static("application/json"));
    let gated = NewJob::new(JobId::from_static("waits"), Kind::unnamed(), payload);
    let gated = gated.with_gate(NewGate { needs: 1, ..NewGate::default() });
    let stored = client.storage.enqueue(&QueueName::from_static("q"), vec![vec![gated]]).await;
    assert!(stored.expect("it is stored").value[0][0].is_new());
    let all = ["due", "scheduled", "parked", "queued", "failing"];
    for (number, (states, counted, state)) in
        [(&all[..], 1, "queued"), (&["gated"], 1, "cancelled")].into_iter().enumerate()
    {
        let filter = json!({"states": states});
        let dry = client.post("/v1/queues/q/jobs:cancel", &json!({"filter": filter, "dry_run": true})).await;
        assert_eq!(dry["jobs"], counted, "{states:?}");
        let request = json!({"filter": filter, "operation": format!("stop-{number}")});
        client.call(Method::POST, "/v1/queues/q/jobs:cancel", request.to_string()).await;
        client.service.operations().worker().until_empty().build().expect("a worker").run().await;
        let ended = client.get(&format!("/v1/operations/q%2Fstop-{number}")).await;
        assert_eq!((&ended["done"], &ended["is_over"]), (&json!(1), &json!(true)), "{ended}");
        assert_eq!(client.state("q", "waits").await, state, "{states:?}");
    }
}

#[tokio::test]
async fn operations_are_listed_page_by_page() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    for number in 0..3 {
        let body =
            json!({"filter": {"states": ["queued"]}, "operation": format!("o{number}"), "jobs_max": 1});
        client.call(Method::POST, "/v1/queues/q/jobs:cancel", body.to_string()).await;
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/v1/operations?limit=1{after}")).await;
        let operations = page["operations"].as_array().expect("a list");
        assert!(operations.len() <= 1, "{page}");
        seen.extend(operations.iter().map(|one| one["operation"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(seen, ["q/o2", "q/o1", "q/o0"]);
    for query in ["limit=0", "limit=1001", "before=x"] {
        let (status, _) = client.call(Method::GET, &format!("/v1/operations?{query}"), "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn the_queues_of_the_library_are_not_touched() {
    let client = Client::new().await;
    for (method, path, body) in [
        (Method::POST, "/v1/queues/queue.operations/jobs", json!({"jobs": [{}]})),
        (Method::PUT, "/v1/queues/leader:x/jobs/a", json!({})),
        (Method::POST, "/v1/queues/leader%3Ax/claim", crate::client::claim_of(1, 1)),
        (Method::POST, "/v1/queues/queue.operations/jobs:delete", json!({"ids": ["a"]})),
        (Method::POST, "/v1/queues/queue.x/pause", json!({})),
    ] {
        let (status, problem) = client.call(method, path, body.to_string()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}: {problem}");
    }
}

#[tokio::test]
async fn a_paused_queue_gives_no_jobs_and_says_so() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let paused = client.post("/v1/queues/q/pause", &json!({})).await;
    assert_eq!(paused, json!({"paused": true, "until_ms": null}));
    let answer: Value = client.post("/v1/queues/q/claim", &claim_of(1, 1)).await;
    assert_eq!((&answer["jobs"], &answer["paused"]), (&json!([]), &json!(true)));
    assert_eq!(client.get("/v1/queues/q").await["paused"], true);
    client.post("/v1/queues/q/resume", &json!({})).await;
    assert_eq!(client.claim("q", 2, 1).await.len(), 1);
}

#[tokio::test]
async fn a_pause_for_a_time_ends_by_the_time_of_the_store() {
    let (storage, clock) = store_and_clock();
    let client = Client::on(storage);
    client.enqueue("q", "a").await;
    client.post("/v1/queues/q/pause", &json!({"for_ms": 60_000})).await;
    let queue = client.get("/v1/queues/q").await;
    let left = queue["paused_until_ms"].as_i64().unwrap() - queue["now_ms"].as_i64().unwrap();
    assert_eq!((&queue["paused"], left), (&json!(true), 60_000));
    let answer = client.post("/v1/queues/q/claim", &claim_of(1, 1)).await;
    assert_eq!((&answer["jobs"], &answer["next_due_in_ms"]), (&json!([]), &json!(60_000)));
    clock.advance(Duration::from_mins(1));
    assert_eq!(client.claim("q", 2, 1).await.len(), 1);
    assert_eq!(client.get("/v1/queues/q").await["paused"], false);
    for body in [json!({"for_ms": 0}), json!({"kind": ""}), json!({"until": 1})] {
        let (status, _) = client.call(Method::POST, "/v1/queues/q/pause", body.to_string()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    }
}

#[tokio::test]
async fn a_paused_kind_waits_while_others_are_handed_out() {
    let client = Client::new().await;
    let jobs = json!({"jobs": [{"id": "a", "kind": "mail"}, {"id": "b", "kind": "report"}]});
    client.post("/v1/queues/q/jobs", &jobs).await;
    client.post("/v1/queues/q/pause", &json!({"kind": "mail"})).await;
    let kinds = &client.get("/v1/queues/q").await["paused_kinds"];
    assert_eq!(*kinds, json!([{"kind": "mail", "until_ms": null}]));
    let ids = |jobs: Vec<Value>| jobs.iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(client.claim("q", 1, 10).await), ["b"]);
    client.post("/v1/queues/q/resume", &json!({"kind": "mail"})).await;
    assert_eq!(ids(client.claim("q", 2, 10).await), ["a"]);
}

/// The answer to the announcement contains the pause, and here arrives before the claim.
#[tokio::test]
async fn a_paused_worker_gets_nothing_until_it_is_to_work_again() {
    let (storage, _clock) = store_and_clock();
    let client = Client::on(storage.clone());
    client.enqueue("q", "a").await;
    let about = json!({"worker": "w", "queues": ["q"]});
    let worker = WorkerId::from_static("anybody/w");
    client.post("/v1/workers", &about).await;
    storage.set_duty(&worker, Duty::Pause).await.unwrap();
    client.post("/v1/workers", &about).await;
    let answer = client.post("/v1/queues/q/claim", &claim_of(1, 1)).await;
    assert_eq!((&answer["jobs"], &answer["paused"]), (&json!([]), &json!(true)));
    assert_eq!(client.get("/v1/workers").await["workers"][0]["paused"], true);
    storage.set_duty(&worker, Duty::Work).await.unwrap();
    client.post("/v1/workers", &about).await;
    assert_eq!(client.claim("q", 2, 1).await.len(), 1);
}

/// Starts the operation of this name on a queue, and answers whether it is new, or what is wrong.
async fn start(client: &Client, queue: &str, name: &str) -> (StatusCode, Value) {
    let request = json!({"filter": {"states": ["queued"]}, "operation": name});
    client.call(Method::POST, &format!("/v1/queues/{queue}/jobs:cancel"), request.to_string()).await
}

#[tokio::test]
async fn an_operation_takes_no_name_of_another_queue_s_and_tells_nothing_of_it() {
    let client = Client::new().await;
    client.enqueue("mail", "a").await;
    client.enqueue("billing", "a").await;
    let tenant = |queue: &str| {
        let globs = vec![queue.parse().expect("a pattern")];
        client.as_principal(Principal::new(queue, [Scope::Operate].into_iter().collect(), globs))
    };
    let (mail, billing) = (tenant("mail"), tenant("billing"));
    for (tenant, queue) in [(&mail, "mail"), (&billing, "billing")] {
        for is_new in [true, false] {
            let started = json!({"operation": format!("{queue}/nightly"), "is_new": is_new});
            assert_eq!(start(tenant, queue, "nightly").await, (StatusCode::ACCEPTED, started));
        }
        let listed = tenant.get("/v1/operations").await;
        assert_eq!(listed["operations"].as_array().map(Vec::len), Some(1), "{listed}");
    }
    let of_mail = "/v1/operations/mail%2Fnightly";
    let there = billing.call(Method::GET, of_mail, "").await;
    let nowhere = billing.call(Method::GET, "/v1/operations/mail%2Fnothing", "").await;
    assert_eq!((there.0, &there), (StatusCode::NOT_FOUND, &nowhere));
    let (status, _) = billing.call(Method::POST, &format!("{of_mail}/cancel"), "{}").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(mail.post(&format!("{of_mail}/cancel"), &json!({})).await["outcome"], "done");
}

#[tokio::test]
async fn what_is_no_name_or_no_id_of_an_operation_is_refused() {
    let client = Client::new().await;
    client.enqueue("mail", "a").await;
    for name in ["", "a/b", "/", "a\nb", &"x".repeat(251)] {
        let (status, problem) = start(&client, "mail", name).await;
        assert_eq!((status, &problem["kind"]), (StatusCode::BAD_REQUEST, &json!("invalid")), "{name}");
    }
    assert_eq!(start(&client, "mail", &"x".repeat(250)).await.0, StatusCode::ACCEPTED);
    for id in ["nightly", "%2Fnightly", "mail%2F"] {
        let (status, _) = client.call(Method::GET, &format!("/v1/operations/{id}"), "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{id}");
    }
}
