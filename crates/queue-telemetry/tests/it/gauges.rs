//! Gauges that are read from the store.

use crate::support::{Measured, count};
use queue::{
    JobOptions, MemoryStorage, Queue, Storage, WorkerId,
    queue_core::{ManualClock, Pause, QueueName, Timestamp, WorkerInfo},
};
use std::{sync::Arc, time::Duration};

#[tokio::test]
async fn jobs_by_state_pauses_and_workers_are_read() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    for id in ["a", "b"] {
        queue.enqueue(id, "hello".to_owned()).await.unwrap();
    }
    let later = JobOptions::new().delay(Duration::from_secs(60));
    queue.enqueue_with("c", "hello".to_owned(), later).await.unwrap();
    measured.storage.set_paused(&QueueName::from_static("images"), None, Pause::UntilResumed).await.unwrap();
    measured.prometheus.metrics().read_store(&*measured.storage).await.unwrap();
    let jobs =
        |state| count(&measured, "queue_jobs", &[("messaging_destination_name", "mails"), ("state", state)]);
    assert_eq!((jobs("due"), jobs("scheduled"), jobs("completed")), (2, 1, 0));
    let paused = |queue| count(&measured, "queue_paused", &[("messaging_destination_name", queue)]);
    assert_eq!((paused("mails"), paused("images")), (0, 1));
    for name in ["queue_oldest_due_age_seconds", "queue_batches", "queue_workers", "queue_worker_slots"] {
        assert!(measured.prometheus.text().contains(&format!("\n{name}{{")), "{name}");
    }
}

#[tokio::test]
async fn open_batches_are_counted_and_the_oldest_one_has_an_age() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
    let measured = Measured::over(Arc::new(MemoryStorage::with_clock(clock.clone())));
    let queue = measured.queue("mails");
    let batches = async || {
        measured.prometheus.metrics().read_store(&*measured.storage).await.unwrap();
        let of = |name| count(&measured, name, &[("messaging_destination_name", "mails")]);
        (of("queue_batches"), of("queue_oldest_batch_age_seconds"))
    };
    queue.enqueue("plain", "hello".to_owned()).await.unwrap();
    assert_eq!(batches().await, (0, 0));
    let old = queue.batch("old").open().await.unwrap();
    clock.advance(Duration::from_secs(90));
    queue.batch("new").open().await.unwrap();
    assert_eq!(batches().await, (2, 90));
    old.seal().await.unwrap();
    clock.advance(Duration::from_secs(10));
    assert_eq!(batches().await, (1, 10), "an empty batch is over with its seal");
}

#[tokio::test]
async fn full_partitions_are_counted_while_a_due_job_waits_for_a_slot() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
    let measured = Measured::over(Arc::new(MemoryStorage::with_clock(clock.clone())));
    let queue = measured.queue("mails");
    let full = async || {
        measured.prometheus.metrics().read_store(&*measured.storage).await.unwrap();
        let of = |name| count(&measured, name, &[("messaging_destination_name", "mails")]);
        (of("queue_partitions_full"), of("queue_oldest_blocked_age_seconds"))
    };
    for id in 0..3 {
        let options = JobOptions::new().partition(if id < 2 { "acme" } else { "zeta" });
        queue.enqueue_with(format!("{id}"), "hello".to_owned(), options).await.unwrap();
    }
    assert_eq!(full().await, (0, 0), "a queue without limits has no full partition");
    queue.limits().each_partition(1).set().await.unwrap();
    let claimed = queue.dequeue_many(10, Duration::ZERO).await.unwrap();
    assert_eq!(claimed.len(), 2);
    clock.advance(Duration::from_secs(7));
    assert_eq!(full().await, (1, 7), "zeta is full and has no job that waits");
    assert!(!measured.prometheus.text().contains("acme"), "no key is a label");
    queue.limits().each_partition(2).set().await.unwrap();
    assert_eq!(full().await, (0, 0));
}

#[tokio::test]
async fn workers_that_are_gone_and_their_queue_are_told_no_more() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
    let measured = Measured::over(Arc::new(MemoryStorage::with_clock(clock.clone())));
    let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
    worker.queues = vec![QueueName::from_static("mails")];
    measured.storage.announce(worker, Duration::from_mins(1)).await.unwrap();
    let workers = async || {
        measured.prometheus.metrics().read_store(&*measured.storage).await.unwrap();
        count(&measured, "queue_workers", &[("messaging_destination_name", "mails")])
    };
    assert_eq!(workers().await, 1);
    clock.advance(Duration::from_mins(2));
    // With no job and no worker left, the store does not know the queue any more.
    assert_eq!(workers().await, 0);
}

#[tokio::test]
async fn queues_that_come_and_go_without_end_stay_a_few_labels() {
    let measured = Measured::new();
    for round in 0..4 {
        let store: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
        for n in 0..150 {
            let queue: Queue<String> = Queue::new(store.clone(), format!("of-{round}-{n}")).unwrap();
            queue.enqueue("a", "hello".to_owned()).await.unwrap();
        }
        measured.prometheus.metrics().read_store(&*store).await.unwrap();
    }
    let text = measured.prometheus.text();
    let lines = text.lines().filter(|line| line.starts_with("queue_paused{")).count();
    assert_eq!(lines, 201);
    assert!(!text.contains("overflow"), "{text}");
    let due =
        |name| count(&measured, "queue_jobs", &[("messaging_destination_name", name), ("state", "due")]);
    assert_eq!((due("of-0-0"), due("other")), (0, 150), "what is gone is told no more");
}
