//! Several queues on one store, and what is the same in every run.

use super::router;
use crate::support::SECOND;
use queue::{
    Id, JobOptions, Queue,
    testing::{TestQueue, TestStore, job_meta, job_record},
};
use std::sync::Arc;

#[tokio::test]
async fn queues_of_one_store_have_names_and_one_clock_and_not_each_others_jobs() {
    let store = TestStore::new();
    let (emails, reports) = (store.queue::<String, ()>("emails"), store.queue::<u32, u64>("reports"));
    let later = JobOptions::new().delay(SECOND);
    emails.enqueue_with("a", "hi".to_owned(), later.clone()).await.unwrap();
    reports.enqueue_with("a", 7, later).await.unwrap();
    assert_eq!(emails.name().as_str(), "emails");
    reports.enqueued().payload(7).due_in(SECOND).assert_one().await;
    emails.advance(SECOND);
    reports.enqueued().due_now().assert_one().await;
    assert_eq!(emails.run_due(router(&Arc::default())).await.completed, 1);
    reports.enqueued().assert_one().await;
}

#[tokio::test]
async fn handles_that_the_application_makes_are_on_the_same_queue() {
    let store = TestStore::new();
    let of_application: Queue<String> = Queue::new(store.storage(), "emails").unwrap();
    of_application.enqueue("a", "hi".to_owned()).await.unwrap();
    store.queue::<String, ()>("emails").enqueued().payload("hi".to_owned()).assert_one().await;
}

#[tokio::test]
async fn a_queue_may_have_options_of_its_own() {
    let store = TestStore::new();
    let urgent = |builder: queue::QueueBuilder<_, _>| builder.options(JobOptions::new().priority(-5));
    let emails = store.queue_with::<String, ()>("emails", urgent);
    emails.enqueue("a", "hi".to_owned()).await.unwrap();
    emails.enqueued().priority(-5).assert_one().await;
}

#[test]
#[should_panic(expected = "the name and the settings of the queue are valid")]
fn a_name_that_is_not_valid_is_told_at_once() {
    let _queue = TestStore::new().queue::<String, ()>("");
}

#[test]
fn generated_ids_repeat_from_run_to_run_and_differ_between_queues() {
    let ids = || {
        let emails = TestQueue::<String>::new();
        let reports = emails.store().queue::<String, ()>("reports");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let email = emails.enqueue(Id::Generated, String::new()).await.unwrap();
            let report = reports.enqueue(Id::Generated, String::new()).await.unwrap();
            (email.id().clone(), report.id().clone())
        })
    };
    assert_eq!(ids(), ids());
    assert_ne!(ids().0, ids().1);
}

#[test]
fn factories_make_what_a_store_would() {
    let record = job_record("a", &"text".to_owned());
    assert_eq!(record.meta, job_meta("a"));
    assert_eq!(record.body.unwrap().payload.bytes, b"\"text\""[..]);
}
