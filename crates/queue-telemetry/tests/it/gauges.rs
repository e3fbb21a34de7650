//! What is read from the store.

use crate::support::{Measured, count};
use queue::{JobOptions, queue_core::Pause, queue_core::QueueName};
use std::time::Duration;

#[tokio::test]
async fn jobs_by_state_pauses_and_workers_are_read() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    for id in ["a", "b"] {
        queue.enqueue(id, "hello".to_owned()).await.unwrap();
    }
    let later = JobOptions::new().delay(Duration::from_secs(60));
    queue.enqueue_with("c", "hello".to_owned(), later).await.unwrap();
    measured.storage.set_paused(&QueueName::from_static("images"), Pause::UntilResumed).await.unwrap();
    measured.prometheus.metrics().read_store(&*measured.storage).await.unwrap();
    let jobs =
        |state| count(&measured, "queue_jobs", &[("messaging_destination_name", "mails"), ("state", state)]);
    assert_eq!((jobs("due"), jobs("scheduled"), jobs("completed")), (2, 1, 0));
    let paused = |queue| count(&measured, "queue_paused", &[("messaging_destination_name", queue)]);
    assert_eq!((paused("mails"), paused("images")), (0, 1));
    for name in ["queue_oldest_due_age_seconds", "queue_workers", "queue_worker_slots"] {
        assert!(measured.prometheus.text().contains(&format!("\n{name}{{")), "{name}");
    }
}
