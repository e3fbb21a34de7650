//! Lost answers to claims of a consumer: no job is charged, and none is left without a holder.

use crate::support::{SECOND, memory, on, settle_down};
use queue::{ErrorKind, JobOptions, Queue, State, Storage};
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, Gate, StorageVerb};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

async fn with_jobs(count: usize) -> (Arc<dyn Storage>, Arc<FaultStore<dyn Storage>>) {
    let store = memory();
    let jobs = (0..count).map(|n| (format!("{n}"), String::new()));
    assert_eq!(on(store.clone()).enqueue_many(jobs, JobOptions::new()).await.expect("stores").len(), count);
    (store.clone(), Arc::new(FaultStore::new(store, FaultPlan::new(0))))
}

#[tokio::test(start_paused = true)]
async fn what_a_lost_claim_leased_goes_back_uncharged_and_the_next_asks_for_half() {
    let (store, faulty) = with_jobs(16).await;
    faulty.next(StorageVerb::Claim, 2, &Fault::LoseReply);
    let consumer = on(faulty);
    for _ in 0..2 {
        let error = consumer.dequeue_many(16, Duration::ZERO).await.expect_err("the answer was lost");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        settle_down().await;
        let counts = on(store.clone()).counts().await.expect("counts");
        assert_eq!((counts.of(State::Queued), counts.of(State::Processing)), (16, 0));
    }
    for expected in [4, 8, 4] {
        let taken = consumer.dequeue_many(16, Duration::ZERO).await.expect("claims");
        assert_eq!(taken.len(), expected);
        assert!(taken.iter().all(|job| job.attempt() == 1 && job.meta().stalls == 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_without_an_answer_is_given_up_and_the_next_one_finds_what_was_leased() {
    let (store, faulty) = with_jobs(0).await;
    let consumer = on(faulty.clone());
    // This read keeps the next one from looking for lapsed leases now.
    assert!(consumer.dequeue(Duration::ZERO).await.expect("claims").is_none());
    on(store.clone()).enqueue("a", String::new()).await.expect("stores");
    let gate = Gate::shut();
    faulty.next(StorageVerb::Claim, 1, &Fault::LoseReply);
    faulty.next(StorageVerb::List, 1, &Fault::HoldUntil(gate.clone()));
    consumer.dequeue(Duration::ZERO).await.expect_err("the answer was lost");
    settle_down().await;
    assert_eq!(on(store.clone()).counts().await.expect("counts").of(State::Processing), 1);
    sleep(6 * SECOND).await;
    assert_eq!(on(store).counts().await.expect("counts").of(State::Queued), 1);
    drop(gate);
}

#[tokio::test(start_paused = true)]
async fn a_claim_of_a_short_lease_is_listened_for_at_most_two_thirds_of_it() {
    let (store, faulty) = with_jobs(1).await;
    faulty.next(StorageVerb::Claim, 1, &Fault::Delay(10 * SECOND));
    let consumer: Queue<String, String> =
        Queue::builder(faulty, "texts").lease(3 * SECOND).build().expect("valid");
    let begun = Instant::now();
    let error = consumer.dequeue(20 * SECOND).await.expect_err("the answer comes too late");
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Unavailable, 2 * SECOND));
    drop(store);
}
