//! What can be seen through the service.

use crate::client::{Client, claim_of};
use axum::http::{Method, StatusCode};
use queue_http::{Principal, Scope};
use serde_json::{Value, json};

#[tokio::test]
async fn a_listing_goes_on_where_its_page_ended() {
    let client = Client::new().await;
    for number in 0..5 {
        client.enqueue("q", &number.to_string()).await;
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/v1/queues/q/jobs?order=newest&limit=2{after}")).await;
        seen.extend(page["jobs"].as_array().expect("a page has jobs").iter().map(|job| job["id"].clone()));
        match &page["next"] {
            Value::String(next) => after = format!("&after={next}"),
            _ => break,
        }
    }
    assert_eq!(seen, ["4", "3", "2", "1", "0"]);
}

#[tokio::test]
async fn listings_that_make_no_sense_are_refused() {
    let client = Client::new().await;
    for query in [
        "state=faild",
        "limit=0",
        "limit=1001",
        "order=up",
        "after=nonsense",
        "stat=failed",
        "state=due&order=newest",
    ] {
        let (status, _) = client.call(Method::GET, &format!("/v1/queues/q/jobs?{query}"), "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn a_job_that_a_pause_holds_up_says_so() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    let paused = async |client: &Client| {
        let job = client.get("/v1/queues/q/jobs/a").await;
        let pauses = job["pauses"].as_array().expect("a list").iter();
        pauses.map(|pause| (pause["of"].clone(), pause["until_ms"].is_i64())).collect::<Vec<_>>()
    };
    assert_eq!(paused(&client).await, []);
    let kind = client.get("/v1/queues/q/jobs/a").await["kind"].clone();
    client.post("/v1/queues/q/pause", &json!({"kind": kind, "for_ms": 60_000})).await;
    assert_eq!(paused(&client).await, [(json!("kind"), true)]);
    client.post("/v1/queues/q/pause", &json!({})).await;
    assert_eq!(paused(&client).await, [(json!("queue"), false), (json!("kind"), true)]);
    client.post("/v1/queues/q/resume", &json!({})).await;
    client.post("/v1/queues/q/resume", &json!({"kind": kind})).await;
    assert_eq!(client.claim("q", 1, 1).await.len(), 1);
    client.post("/v1/queues/q/pause", &json!({})).await;
    assert_eq!(paused(&client).await, [], "a pause does nothing to what runs");
}

#[tokio::test]
async fn a_failed_attempt_is_seen_in_the_log_of_its_job_and_in_the_filter() {
    let client = Client::new().await;
    client.enqueue("q", "a").await;
    client.enqueue("q", "b").await;
    let job = client.claim("q", 1, 1).await.remove(0);
    let error = json!({"error": {"name": "Smtp", "message": "no"}, "cause": "terminal"});
    client.settle(&job, "fail", error).await;
    let page = client.get("/v1/queues/q/jobs?state=failed&order=newest").await;
    assert_eq!((&page["jobs"][0]["id"], &page["looked_at"]), (&json!("a"), &json!(1)));
    let shown = client.get("/v1/queues/q/jobs/a").await;
    assert_eq!(shown["attempt_log"][0]["error"], json!({"name": "Smtp", "message": "no"}));
    assert_eq!(shown["attempt_log"][0]["worker"], "anybody/w");
    let many = client.post("/v1/queues/q/jobs:get", &json!({"ids": ["b", "nowhere", "a"]})).await;
    assert_eq!(
        (&many["jobs"][0]["id"], &many["jobs"][1], &many["jobs"][2]["id"]),
        (&json!("b"), &Value::Null, &json!("a"))
    );
    let body = client.get("/v1/queues/q/jobs/b/body").await;
    assert_eq!(body["payload"], json!({"json": {"n": 1}, "content_type": "application/json"}));
}

#[tokio::test]
async fn a_token_sees_its_own_queues_and_no_others() {
    let client = Client::new().await;
    for queue in ["billing", "mail.in", "mail.out"] {
        client.enqueue(queue, "a").await;
    }
    let mail =
        Principal::new("m", [Scope::View].into_iter().collect(), vec!["mail*".parse().expect("a glob")]);
    let mail = client.as_principal(mail);
    let queues = mail.get("/v1/queues?limit=1").await;
    assert_eq!((&queues["queues"][0]["queue"], &queues["next"]), (&json!("mail.in"), &json!("mail.in")));
    let queues = mail.get("/v1/queues?after=mail.in").await;
    assert_eq!(queues["queues"].as_array().map(Vec::len), Some(1));
    for path in ["/v1/queues/billing", "/v1/queues/nowhere", "/v1/queues/billing/jobs"] {
        let (status, problem) = mail.call(Method::GET, path, "").await;
        assert_eq!((status, &problem["kind"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "{path}");
    }
}

#[tokio::test]
async fn a_worker_that_is_asked_to_drain_hears_it_everywhere() {
    let client = Client::new().await;
    let about =
        json!({"worker": "w", "queues": ["q"], "concurrency": 4, "kinds": ["email"], "version": "py 1"});
    assert_eq!(client.post("/v1/workers", &about).await, json!({"drain": false}));
    let workers = client.get("/v1/workers").await;
    assert_eq!(
        (&workers["workers"][0]["id"], &workers["workers"][0]["about"]["version"]),
        (&json!("anybody/w"), &json!("py 1"))
    );
    let asked = client.post("/v1/workers:drain", &json!({"worker": "anybody/w"})).await;
    assert_eq!(asked, json!({"is_present": true}));
    client.enqueue("q", "a").await;
    let claimed = client.post("/v1/queues/q/claim", &claim_of(1, 1)).await;
    assert_eq!((&claimed["drain"], &claimed["jobs"]), (&json!(true), &json!([])));
    assert_eq!(client.post("/v1/workers", &about).await, json!({"drain": true}));
    let claimed = client.post("/v1/queues/q/claim", &claim_of(2, 1)).await;
    assert_eq!(claimed["drain"], true);
    let asked = client.post("/v1/workers:drain", &json!({"worker": "nobody"})).await;
    assert_eq!(asked, json!({"is_present": false}));
}

#[tokio::test]
async fn metrics_count_jobs_and_workers_and_escape_names() {
    let client = Client::new().await;
    client.post("/v1/queues/a%22b/jobs", &json!({"jobs": [{}, {"delay_ms": 60_000}]})).await;
    client.enqueue("q", "a").await;
    client.claim("q", 1, 1).await;
    client.post("/v1/workers", &json!({"worker": "w", "queues": ["q"]})).await;
    let (status, text) = client.text(Method::GET, "/metrics", "").await;
    assert_eq!(status, StatusCode::OK);
    for line in [
        r#"queue_jobs{messaging_destination_name="a\"b",state="due"} 1"#,
        r#"queue_jobs{messaging_destination_name="a\"b",state="scheduled"} 1"#,
        r#"queue_jobs{messaging_destination_name="q",state="processing"} 1"#,
        r#"queue_workers{messaging_destination_name="q"} 1"#,
        r#"queue_paused{messaging_destination_name="q"} 0"#,
        r#"queue_worker_slots{state="used"} 0"#,
        concat!("queue_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    let only_q =
        Principal::new("m", [Scope::Metrics].into_iter().collect(), vec!["q".parse().expect("a glob")]);
    let (_, text) = client.as_principal(only_q).text(Method::GET, "/metrics", "").await;
    assert!(text.contains("\"q\"") && !text.contains("a\\\"b"), "{text}");
}
