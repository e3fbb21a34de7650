//! A consumer that goes away in the middle of a claim leaves no job leased without a holder.

use crate::support::{Fault, Faulty, SECOND, memory, on, raw, settle_down, spawn};
use queue::{ErrorKind, JobOptions, Queue, Raw, State, Storage};
use std::{
    future::{Future, poll_fn},
    sync::{Arc, atomic::AtomicU32},
    task::Poll,
    time::Duration,
};
use tokio::{sync::Semaphore, time::timeout};

/// A store with one job, and the same store with slow answers to claims.
async fn slow_claims() -> (Arc<dyn Storage>, Arc<dyn Storage>, Arc<Semaphore>) {
    let store = memory();
    assert!(on(store.clone()).enqueue("a", String::new()).await.expect("stores").is_new());
    let permits = Arc::new(Semaphore::new(0));
    let slow = Faulty::wrap(store.clone(), Fault::ClaimAnswers(permits.clone()));
    (store, slow, permits)
}

async fn state(store: &Arc<dyn Storage>) -> (State, u32) {
    let status = on(store.clone()).status("a").await.expect("reads").expect("is there");
    (status.state(), status.attempts())
}

#[tokio::test(start_paused = true)]
async fn a_dequeue_dropped_before_the_answer_gives_the_job_back_uncharged() {
    let (store, slow, permits) = slow_claims().await;
    let consumer = spawn(async move { on(slow).dequeue(60 * SECOND).await });
    settle_down().await;
    assert_eq!(state(&store).await, (State::Processing, 1));
    consumer.abort();
    settle_down().await;
    permits.add_permits(1);
    settle_down().await;
    assert_eq!(state(&store).await, (State::Queued, 0));
}

#[tokio::test(start_paused = true)]
async fn a_dequeue_dropped_between_the_answer_and_its_next_poll_gives_the_job_back() {
    let (store, slow, permits) = slow_claims().await;
    let queue = on(slow);
    let mut dequeue = Box::pin(queue.dequeue(60 * SECOND));
    let is_pending = poll_fn(|context| Poll::Ready(dequeue.as_mut().poll(context).is_pending())).await;
    assert!(is_pending);
    permits.add_permits(1);
    settle_down().await;
    assert_eq!(state(&store).await, (State::Processing, 1));
    drop(dequeue);
    settle_down().await;
    assert_eq!(state(&store).await, (State::Queued, 0));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_hangs_ends_the_wait_with_an_error_and_its_late_job_goes_back() {
    let (store, slow, permits) = slow_claims().await;
    let begun = tokio::time::Instant::now();
    let error = on(slow).dequeue(5 * SECOND).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(begun.elapsed() <= 36 * SECOND, "the store has 30 for a call");
    permits.add_permits(1);
    settle_down().await;
    assert_eq!(state(&store).await, (State::Queued, 0));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_takes_long_to_answer_delivers_all_the_same() {
    let (_, slow, permits) = slow_claims().await;
    let consumer = spawn(async move { on(slow).dequeue(Duration::ZERO).await });
    tokio::time::sleep(20 * SECOND).await;
    permits.add_permits(1);
    let job = consumer.await.unwrap().unwrap().expect("it was due");
    assert_eq!(job.id().as_str(), "a");
}

#[tokio::test(start_paused = true)]
async fn giving_back_is_tried_again_while_the_store_is_in_trouble() {
    let (store, slow, permits) = slow_claims().await;
    let shaky = Faulty::wrap(slow, Fault::ApplyFails(AtomicU32::new(3)));
    let error = on(shaky).dequeue(Duration::ZERO).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    permits.add_permits(1);
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(state(&store).await, (State::Queued, 0));
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_was_handed_out_is_held() {
    let (store, slow, permits) = slow_claims().await;
    permits.add_permits(1);
    let job = on(slow).dequeue(SECOND).await.unwrap().unwrap();
    settle_down().await;
    assert_eq!(state(&store).await, (State::Processing, 1));
    let _ = job.ack(&String::new()).await.unwrap();
    assert_eq!(state(&store).await, (State::Completed, 1));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_hangs_ends_the_wait_with_an_error_and_the_whole_batch_goes_back() {
    let store = memory();
    let producer: Queue<Raw, Raw> = Queue::new(store.clone(), "texts").unwrap();
    let json = "application/json";
    let jobs = [("a", raw("\"a\"", json)), ("unreadable", raw("17", json))];
    producer.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let permits = Arc::new(Semaphore::new(0));
    let stuck = on(Faulty::wrap(store.clone(), Fault::ApplyWaits(permits.clone())));
    let answer = timeout(37 * SECOND, stuck.dequeue_many(9, 5 * SECOND)).await.expect("it has a bound");
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::Unavailable);
    permits.add_permits(2);
    settle_down().await;
    assert_eq!(state(&store).await, (State::Queued, 0));
    assert_eq!(producer.counts().await.unwrap().of(State::Queued), 2);
}
