//! With any store, a wait ends in time, and its answer is what the record says.

use crate::support::{Fault, Faulty, SECOND, memory, on, settle_down, spawn, take};
use queue::{ErrorKind, JobOptions, Outcome, State, Storage, WaitError, WaitOptions};
use queue_testkit::fault::{FaultPlan, FaultStore, Gate, StorageVerb};
use std::{
    sync::{Arc, atomic::AtomicU32},
    time::Duration,
};
use tokio::{sync::Semaphore, time::Instant};

/// The time that the last read may take beyond the deadline.
const GRACE: Duration = SECOND;

fn hint_faults() -> [Fault; 4] {
    [Fault::NoHints, Fault::HintsEnd, Fault::HintStorm, Fault::SubscribeHangs]
}

async fn with_a_job() -> Arc<dyn Storage> {
    let store = memory();
    assert!(on(store.clone()).enqueue("a", String::new()).await.expect("stores").is_new());
    store
}

#[tokio::test(start_paused = true)]
async fn a_call_gets_its_result_whatever_becomes_of_the_hints() {
    for fault in hint_faults() {
        let store = memory();
        let caller = on(Faulty::wrap(store.clone(), fault));
        let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), 10 * SECOND).await });
        let worker = on(store);
        let job = worker.dequeue(5 * SECOND).await.unwrap().unwrap();
        tokio::time::sleep(2 * SECOND).await;
        let begun = Instant::now();
        let _ = job.ack(&"out".to_owned()).await.unwrap();
        assert_eq!(call.await.unwrap().unwrap(), "out");
        assert!(begun.elapsed() <= Duration::from_millis(501), "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_enqueued_and_nothing_read_before_the_subscription_stands() {
    let store = with_a_job().await;
    let slow = Arc::new(FaultStore::new(store.clone(), FaultPlan::new(0)));
    let gate = Gate::shut();
    slow.next(StorageVerb::Subscribe, 2, &queue_testkit::fault::Fault::HoldUntil(gate.clone()));
    let queue = on(slow);
    let wait = spawn({
        let queue = queue.clone();
        async move { queue.wait("a", 10 * SECOND).await.unwrap() }
    });
    let call = spawn(async move { queue.enqueue_and_wait("b", String::new(), 10 * SECOND).await });
    settle_down().await;
    let direct = on(store);
    assert!(direct.status("b").await.unwrap().is_none(), "it was enqueued");
    let _ = direct.delete("a").await.unwrap();
    gate.open();
    // An earlier read would have seen the job.
    assert_eq!(wait.await.unwrap(), Outcome::Unknown);
    let _ = take(&direct).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

#[tokio::test(start_paused = true)]
async fn every_outcome_is_found_without_hints() {
    let store = with_a_job().await;
    let (blind, worker) = (on(Faulty::wrap(store.clone(), Fault::NoHints)), on(store));
    let wait = || {
        let blind = blind.clone();
        spawn(async move { blind.wait("a", 10 * SECOND).await.unwrap() })
    };

    let cancelled = wait();
    settle_down().await;
    let _ = worker.cancel("a").await.unwrap();
    assert_eq!(cancelled.await.unwrap(), Outcome::Cancelled { reason: None });

    worker.enqueue_with("a", String::new(), JobOptions::new().max_attempts(1)).await.unwrap();
    let failed = wait();
    settle_down().await;
    let _ = take(&worker).await.nack(queue::Failure::new("Io", "broken")).await.unwrap();
    assert!(matches!(failed.await.unwrap(), Outcome::Failed { .. }));

    let _ = worker.redrive("a").await.unwrap();
    let superseded = wait();
    settle_down().await;
    let _ = worker.cancel("a").await.unwrap();
    worker.enqueue("a", String::new()).await.unwrap();
    assert_eq!(superseded.await.unwrap(), Outcome::Superseded);

    let expired = wait();
    settle_down().await;
    let _ = worker.delete("a").await.unwrap();
    assert_eq!(expired.await.unwrap(), Outcome::Expired);
    assert_eq!(wait().await.unwrap(), Outcome::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_after_the_last_interval_is_found_by_the_last_look() {
    let store = with_a_job().await;
    let blind = on(Faulty::wrap(store.clone(), Fault::NoHints));
    let options =
        queue::WaitOptions::from(10 * SECOND).look_first_after(60 * SECOND).look_at_least_every(60 * SECOND);
    let wait = spawn(async move { blind.wait("a", options).await.unwrap() });
    settle_down().await;
    let _ = take(&on(store)).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_a_read_does_not_hold_a_waiter() {
    let queue = on(Faulty::wrap(with_a_job().await, Fault::GetHangs));
    let begun = Instant::now();
    assert_eq!(queue.wait("a", 5 * SECOND).await.unwrap(), Outcome::TimedOut { state: None, error: None });
    let error = queue.enqueue_and_wait("b", String::new(), 5 * SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::TimedOut { state: Some(State::Queued), error: None }));
    assert!(begun.elapsed() <= 2 * (5 * SECOND + GRACE), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_an_enqueue_or_a_subscription_does_not_hold_a_caller() {
    let begun = Instant::now();
    let queue = on(Faulty::wrap(memory(), Fault::EnqueueHangs));
    let error = queue.enqueue_and_wait("a", String::new(), 5 * SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::TimedOut { state: None, error: None }));
    let queue = on(Faulty::wrap(with_a_job().await, Fault::SubscribeHangs));
    let timed_out = Outcome::TimedOut { state: Some(State::Queued), error: None };
    assert_eq!(queue.wait("a", Duration::ZERO).await.unwrap(), timed_out);
    assert!(begun.elapsed() <= 5 * SECOND + 2 * GRACE, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_hints_neither_holds_a_waiter_nor_makes_it_spin() {
    let storm = Faulty::wrap(with_a_job().await, Fault::HintStorm);
    let reads = 3_000;
    // The store recovers after this many failed reads; a waiter that spins gets there long before
    // the deadline.
    let counting = Faulty::wrap(storm.clone(), Fault::GetFails(AtomicU32::new(reads)));
    let error = on(counting).wait("a", 5 * SECOND).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(matches!(on(storm).wait("a", 5 * SECOND).await.unwrap(), Outcome::TimedOut { .. }));
}

/// The hints come from this call and many others; a hint that leads to news does not count against
/// the next one.
#[tokio::test(start_paused = true)]
async fn a_hint_that_promises_nothing_is_followed_at_once_while_such_hints_are_right() {
    let store = memory();
    let (caller, worker) = (on(Faulty::wrap(store.clone(), Fault::VagueHints)), on(store));
    let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), 10 * SECOND).await });
    let begun = Instant::now();
    for _ in 0..20 {
        let job = worker.dequeue(SECOND).await.unwrap().expect("a job is due");
        tokio::task::yield_now().await;
        let _ = job.release().await.unwrap();
        tokio::task::yield_now().await;
    }
    let _ = take(&worker).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
    assert_eq!(begun.elapsed(), Duration::ZERO, "it was held back");
}

#[tokio::test(start_paused = true)]
async fn trouble_that_passes_is_waited_out() {
    let store = with_a_job().await;
    let queue = on(Faulty::wrap(store.clone(), Fault::GetFails(AtomicU32::new(5))));
    let wait = spawn(async move { queue.wait("a", 10 * SECOND).await });
    let _ = take(&on(store)).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_fails_is_made_later() {
    let store = with_a_job().await;
    let queue = on(Faulty::wrap(store.clone(), Fault::ApplyFails(AtomicU32::new(2))));
    let wait = spawn(async move { queue.wait("a", 10 * SECOND).await });
    tokio::time::sleep(SECOND).await;
    let job = take(&on(store)).await;
    assert!(job.meta().awaited);
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_ends_while_it_is_marked_is_looked_at_again_at_once() {
    let store = with_a_job().await;
    let permits = Arc::new(Semaphore::new(0));
    let slow = Faulty::wrap(store.clone(), Fault::ApplyWaits(permits.clone()));
    let blind = on(Faulty::wrap(slow, Fault::NoHints));
    let options = queue::WaitOptions::from(10 * SECOND).look_first_after(9 * SECOND);
    let wait = spawn(async move { blind.wait("a", options).await.unwrap() });
    settle_down().await;
    let _ = take(&on(store)).await.ack(&"out".to_owned()).await.unwrap();
    let begun = Instant::now();
    permits.add_permits(1);
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn trouble_that_lasts_is_the_answer_and_trouble_that_cannot_pass_is_so_at_once() {
    let store = with_a_job().await;
    let begun = Instant::now();
    let queue = on(Faulty::wrap(store.clone(), Fault::GetIsCorrupt));
    assert_eq!(queue.wait("a", 5 * SECOND).await.unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let queue = on(Faulty::wrap(store, Fault::GetFails(AtomicU32::new(u32::MAX))));
    assert_eq!(queue.wait("a", 5 * SECOND).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(begun.elapsed(), 5 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_finds_jobs_whatever_becomes_of_the_hints() {
    for fault in hint_faults() {
        let store = memory();
        let consumer = on(Faulty::wrap(store.clone(), fault));
        let dequeue = spawn(async move { consumer.dequeue(10 * SECOND).await });
        tokio::time::sleep(3 * SECOND).await;
        let begun = Instant::now();
        on(store).enqueue("a", String::new()).await.unwrap();
        assert!(dequeue.await.unwrap().unwrap().is_some());
        assert!(begun.elapsed() <= SECOND, "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_late_costs_a_tenth_of_a_second_and_still_brings_hints() {
    let store = memory();
    let slow = Arc::new(FaultStore::new(store.clone(), FaultPlan::new(0)));
    let gate = Gate::shut();
    slow.next(StorageVerb::Subscribe, 1, &queue_testkit::fault::Fault::HoldUntil(gate.clone()));
    let (caller, begun) = (on(slow), Instant::now());
    let looks_seldom =
        WaitOptions::from(100 * SECOND).look_first_after(50 * SECOND).look_at_least_every(50 * SECOND);
    let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), looks_seldom).await });
    let job = on(store).dequeue(5 * SECOND).await.unwrap().unwrap();
    assert_eq!(begun.elapsed(), Duration::from_millis(100));
    gate.open();
    settle_down().await;
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
    assert!(
        begun.elapsed() < Duration::from_millis(110),
        "it waited for the next look: {:?}",
        begun.elapsed()
    );
}

/// A subscription that is not polled would keep the connection that the call itself needs.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_late_keeps_no_call_of_its_own_waiting() {
    let store = memory();
    let narrow = || on(Faulty::wrap(store.clone(), Fault::OneConnection(Semaphore::new(1))));
    let (caller, waiter, worker) = (narrow(), narrow(), narrow());
    let begun = Instant::now();
    let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), 10 * SECOND).await });
    let job = worker.dequeue(5 * SECOND).await.unwrap().expect("the call was enqueued");
    let wait = spawn(async move { waiter.wait("a", 10 * SECOND).await });
    tokio::time::sleep(SECOND).await;
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
    assert!(begun.elapsed() < 2 * SECOND, "{:?}", begun.elapsed());
}
