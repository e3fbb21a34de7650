//! Changes of jobs that a producer replaces between the service's read and its change.

use crate::client::Client;
use async_trait::async_trait;
use queue_core::{
    Applied, ContentType, JobId, Kind, NewJob, OnFailed, OnWaiting, Payload, QueueName, Result, Span,
    Stamped, Storage, StorageLayer, lifecycle::Transition,
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A store with a producer that is quicker than the next changes, and replaces the job "a".
#[derive(Debug)]
struct Overtaken {
    store: Arc<dyn Storage>,
    left: AtomicUsize,
}

fn replacing() -> NewJob {
    let payload = Payload::new("{}", ContentType::from_static("application/json"));
    NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload)
        .with_delay(Span::from_secs(3600))
        .with_on_waiting(OnWaiting::Replace { max_wait: None })
        .with_on_failed(OnFailed::Replace)
}

#[async_trait]
impl StorageLayer for Overtaken {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if taken.is_ok() {
            self.store.enqueue(&QueueName::from_static("q"), vec![vec![replacing()]]).await?;
        }
        self.store.apply(batch).await
    }
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
        store.enqueue(&QueueName::from_static("q"), vec![vec![replacing()]]).await.expect("it is stored");
        let client = Client::on(Arc::new(Overtaken { store, left: AtomicUsize::new(3) }));
        let mut body = options;
        body["ids"] = json!(["a"]);
        let answer = client.post(&format!("/v1/queues/q/jobs:{verb}"), &body).await;
        let item = &answer["items"][0];
        assert_eq!((&item["outcome"], &item["state"]), (&json!("done"), &state), "{verb}: {answer}");
    }
}
