//! A transaction of the application that stays open for ten seconds, beside held jobs.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{
    Applied, Changed, ErrorKind, Span, State, Storage,
    lifecycle::{Event, Policy, decide},
};
use queue_sqlite::rusqlite::{Connection, TransactionBehavior};
use std::time::Duration;

/// Twice the time that calls wait for the lock.
const OPEN_FOR: Duration = Duration::from_secs(10);
const JOBS: usize = 20;

#[tokio::test]
async fn jobs_under_leases_of_30_s_outlast_a_transaction_of_10_s_and_heartbeats_go_on_afterwards() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, (0..JOBS).map(|n| job(&n.to_string())).collect()).await;
    let held = claim(&store, JOBS).await.jobs;
    let mut connection = Connection::open(place.path()).expect("it opens");
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("it begins");
    store.enqueue_in(&transaction, &queue(), &[job("in the transaction")]).expect("it enqueues");

    let beat = |held: &queue_core::ClaimedJob| {
        let beat = Event::Extend { token: held.token, by: Span::from_secs(30), progress: None };
        decide(&held.record.meta, beat, &Policy::default()).expect("it is held")
    };
    let error = store.apply(held.iter().map(beat).collect()).await.expect_err("the lock is taken for longer");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    // The rest of the ten seconds; only the lease, with 20 s to spare, runs against the test.
    tokio::time::sleep(OPEN_FOR / 2).await;
    transaction.commit().expect("it commits");

    let beaten = store.apply(held.iter().map(beat).collect()).await.expect("the lock is free").value;
    assert!(beaten.iter().all(|applied| matches!(applied, Applied::Done(_))), "{beaten:?}");
    for held in &held {
        assert!(matches!(settle(&store, &held.record.meta, complete(held.token)).await, Changed::Done(_)));
    }
    let counts = store.counts(&queue()).await.expect("it counts");
    assert_eq!((counts.of(State::Completed), counts.of(State::Queued)), (JOBS as u64, 1));
    assert_sound(&store).await;
}
