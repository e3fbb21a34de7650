//! Changes of jobs that a producer replaces between the service's read and its change.

use crate::client::Client;
use queue_core::{ContentType, JobId, Kind, NewJob, OnFailed, OnWaiting, Payload, QueueName, Span, Storage};
use queue_testkit::fault::Overtaken;
use serde_json::json;
use std::sync::Arc;

fn replacing() -> NewJob {
    let payload = Payload::new("{}", ContentType::from_static("application/json"));
    NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload)
        .with_delay(Span::from_secs(3600))
        .with_on_waiting(OnWaiting::Replace { max_wait: None })
        .with_on_failed(OnFailed::Replace)
}

async fn replace(store: Arc<dyn Storage>, _: usize) {
    let replaced = store.enqueue(&QueueName::from_static("q"), vec![vec![replacing()]]).await;
    replaced.expect("it is stored");
}

#[tokio::test]
async fn a_change_by_id_finds_the_job_that_replaced_another_meanwhile() {
    for (verb, options, state) in [
        ("cancel", json!({}), json!("cancelled")),
        ("promote", json!({}), json!("queued")),
        ("reschedule", json!({"delay_ms": 60_000}), json!("queued")),
        ("prioritize", json!({"priority": 3}), json!("queued")),
        ("delete", json!({}), json!(null)),
    ] {
        let store = queue::open("memory:").await.expect("memory is always there");
        replace(store.clone(), 0).await;
        let client = Client::on(Overtaken::new(store, 3, replace));
        let mut body = options;
        body["ids"] = json!(["a"]);
        let answer = client.post(&format!("/v1/queues/q/jobs:{verb}"), &body).await;
        let item = &answer["items"][0];
        assert_eq!((&item["outcome"], &item["state"]), (&json!("done"), &state), "{verb}: {answer}");
    }
}
