//! What a token sees of a store that is full of the queues of others.

use crate::client::Client;
use axum::http::{Method, StatusCode};
use queue_core::{JobId, Kind, NewJob, Payload, QueueName, Storage};
use queue_http::{Principal, Scope};
use serde_json::json;

/// The lines of a queue in a scrape: one for each word of its jobs, and the age of the oldest due
/// job, whether it is paused, its workers, its open batches and the age of the oldest of them.
const LINES: usize = 8 + 7;

/// More queues than metrics distinguish, all sorted before `mail`.
async fn crowded() -> Client {
    let client = Client::new().await;
    for number in 0..1_210 {
        enqueue(&*client.storage, &format!("aaa-{number:04}")).await;
    }
    enqueue(&*client.storage, "mail").await;
    enqueue(&*client.storage, "zzz").await;
    client
}

async fn enqueue(storage: &dyn Storage, queue: &str) {
    let payload = Payload::new("1", queue_core::ContentType::from_static("application/json"));
    let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
    let queue = QueueName::new(queue).expect("it is a name");
    storage.enqueue(&queue, vec![vec![job]]).await.expect("memory has room");
}

fn of(scope: Scope, patterns: &[&str]) -> Principal {
    let patterns = patterns.iter().map(|pattern| pattern.parse().expect("it is a pattern")).collect();
    Principal::new("t", [scope].into_iter().collect(), patterns)
}

fn gauges(text: &str, queue: &str) -> Vec<String> {
    let label = format!("messaging_destination_name=\"{queue}\"");
    text.lines().filter(|line| line.contains(&label)).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_token_lists_its_queues_behind_those_of_others_and_learns_no_other_name() {
    let client = crowded().await;
    for patterns in [&["mail"][..], &["ma*"], &["*l"], &["nothing", "mail"]] {
        let client = client.as_principal(of(Scope::View, patterns));
        for limit in [1, 2, 100] {
            let answer = client.get(&format!("/v1/queues?limit={limit}")).await;
            let names: Vec<_> =
                answer["queues"].as_array().expect("there are").iter().map(|one| &one["queue"]).collect();
            assert_eq!((names, &answer["is_cut"]), (vec![&json!("mail")], &json!(false)), "{patterns:?}");
            assert!(answer["next"].is_null() || answer["next"] == "mail", "{answer}");
        }
    }
}

#[tokio::test]
async fn each_page_of_queues_is_full_of_what_the_token_may_see() {
    let client = crowded().await.as_principal(of(Scope::View, &["*1*", "mail"]));
    let (mut seen, mut after) = (0, String::new());
    loop {
        let page = client.get(&format!("/v1/queues?limit=50{after}")).await;
        let queues = page["queues"].as_array().expect("there are").len();
        seen += queues;
        let Some(next) = page["next"].as_str() else { break };
        assert_eq!(queues, 50, "{page}");
        after = format!("&after={next}");
    }
    let expected = (0..1_210).filter(|number| format!("{number:04}").contains('1')).count() + 1;
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn metrics_have_the_queues_of_a_token_behind_those_of_others() {
    let client = crowded().await;
    let (_, text) =
        client.as_principal(of(Scope::Metrics, &["mail"])).text(Method::GET, "/metrics", "").await;
    assert_eq!(gauges(&text, "mail").len(), LINES, "{text}");
    assert!(!text.contains("aaa-") && !text.contains("\"other\""), "{text}");
}

#[tokio::test]
async fn a_scrape_names_the_queues_that_matter() {
    let client = crowded().await.as_principal(of(Scope::Metrics, &["*"]));
    let (_, text) = client.text(Method::GET, "/metrics", "").await;
    assert!(gauges(&text, "mail").is_empty() && gauges(&text, "other").len() == LINES, "{text}");
    let (_, text) = client.text(Method::GET, "/metrics?queues=mail,z*,nothing", "").await;
    assert_eq!((gauges(&text, "mail").len(), gauges(&text, "zzz").len()), (LINES, LINES), "{text}");
    assert!(!text.contains("aaa-") && gauges(&text, "other").is_empty(), "{text}");
    assert!(text.contains("\nqueue_metrics_cut 0\n"), "{text}");
}

#[tokio::test]
async fn a_scrape_names_no_more_than_its_token_may() {
    let client = crowded().await.as_principal(of(Scope::Metrics, &["mail"]));
    let (_, text) = client.text(Method::GET, "/metrics?queues=*", "").await;
    assert!(gauges(&text, "mail").len() == LINES && !text.contains("aaa-"), "{text}");
    let (_, text) = client.text(Method::GET, "/metrics?queues=zzz", "").await;
    assert!(gauges(&text, "mail").is_empty() && gauges(&text, "zzz").is_empty(), "{text}");
    for refused in ["queues=", "queues=a,,b", "queue=mail", &format!("queues=a{}", ",a".repeat(100))] {
        let (status, problem) = client.call(Method::GET, &format!("/metrics?{refused}"), "").await;
        assert_eq!((status, &problem["kind"]), (StatusCode::BAD_REQUEST, &json!("invalid")), "{refused}");
    }
}
