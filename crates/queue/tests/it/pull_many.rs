//! Several jobs in one claim.

use crate::support::{Fault, Faulty, SECOND, memory, on, raw, settle_down, spawn, texts};
use queue::{Delivery, ErrorKind, JobOptions, Prune, Queue, Raw, Reason, Settled, State};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Semaphore, time::Instant};

fn ids(deliveries: &[Delivery<String, String>]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery.id().as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_batch_comes_in_claim_order_and_holds_no_more_than_asked() {
    let queue = texts();
    let jobs = ["a", "b", "c", "d", "e"].map(|id| (id, id.to_owned()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let first = queue.dequeue_many(3, Duration::ZERO).await.unwrap();
    let second = queue.dequeue_many(3, Duration::ZERO).await.unwrap();
    assert_eq!((ids(&first), ids(&second)), (vec!["a", "b", "c"], vec!["d", "e"]));
    for delivery in first.iter().chain(&second) {
        assert_eq!(delivery.ack(&String::new()).await.unwrap(), Settled::Done);
    }
    assert_eq!(queue.counts().await.unwrap().of(State::Completed), 5);
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_handed_out_as_soon_as_there_is_one_job() {
    let queue = texts();
    let begun = Instant::now();
    let consumer = spawn({
        let queue = queue.clone();
        async move { queue.dequeue_many(10, 60 * SECOND).await.unwrap().len() }
    });
    settle_down().await;
    queue.enqueue("a", String::new()).await.unwrap();
    assert_eq!((consumer.await.unwrap(), begun.elapsed() < SECOND), (1, true));
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_none_takes_nothing_and_does_not_wait_and_a_huge_one_takes_what_there_is() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let begun = Instant::now();
    assert!(queue.dequeue_many(0, 60 * SECOND).await.unwrap().is_empty());
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(queue.dequeue_many(usize::MAX, SECOND).await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_cannot_be_read_is_left_out_of_its_batch_and_recorded_as_failed() {
    let store = memory();
    let producer: Queue<Raw, Raw> = Queue::new(store.clone(), "texts").unwrap();
    let json = "application/json";
    let jobs = [("a", raw("\"a\"", json)), ("b", raw("17", json)), ("c", raw("\"c\"", json))];
    producer.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let queue = on(store);
    assert_eq!(ids(&queue.dequeue_many(9, SECOND).await.unwrap()), ["a", "c"]);
    let status = queue.status("b").await.unwrap().unwrap();
    assert_eq!(status.meta.reason, Some(Reason::Undecodable));

    producer.enqueue("d", raw("18", json)).await.unwrap();
    assert_eq!(queue.dequeue_many(9, SECOND).await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_dropped_before_the_answer_goes_back_whole_and_uncharged() {
    let store = memory();
    let queue = on(store.clone());
    let jobs = ["a", "b", "c"].map(|id| (id, String::new()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let permits = Arc::new(Semaphore::new(0));
    let slow = Faulty::wrap(store, Fault::ClaimAnswers(permits.clone()));
    let consumer = spawn(async move { on(slow).dequeue_many(9, 60 * SECOND).await });
    settle_down().await;
    assert_eq!(queue.counts().await.unwrap().of(State::Processing), 3);
    consumer.abort();
    settle_down().await;
    permits.add_permits(1);
    settle_down().await;
    assert_eq!(queue.counts().await.unwrap().of(State::Queued), 3);
}

#[tokio::test(start_paused = true)]
async fn pruning_removes_what_was_asked_for_in_bounded_steps() {
    let queue = texts();
    let jobs = ["a", "b", "c"].map(|id| (id, String::new()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    assert_eq!(queue.prune(Prune::Expired, 9).await.unwrap(), 0);
    assert_eq!(queue.prune(Prune::Everything, 2).await.unwrap(), 2);
    assert_eq!(queue.prune(Prune::Everything, 2).await.unwrap(), 1);
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}
