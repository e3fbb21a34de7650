//! Faults between a program and its server: recorded workloads judged by the checker of the test
//! kit, and faults that a checker cannot see.
//!
//! `QUEUE_TEST_FAULT_ROUNDS=100` runs more workloads, `QUEUE_TESTKIT_SEED=7` repeats one.

use crate::common::{self, Place, claim, complete, enqueue, job, queue, server, settle};
use crate::storm::{self, LostReplies, StormHarness, Terminations, end_listener, rounds};
use futures_util::StreamExt;
use queue_core::{Certainty, ErrorKind, Hint, Interest, OnFailed, State, Storage};
use queue_postgres::{Listen, PostgresOptions, PostgresStorage};
use queue_testkit::history::{Params, check_workload};
use sqlx::AssertSqlSafe;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

const PARAMS: Params = Params {
    producers: 3,
    workers: 4,
    meddlers: 3,
    steps: 40,
    shared_ids: 12,
    faults: queue_testkit::history::Faults::None,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_are_ended_at_random_break_no_invariant() {
    if server::url().is_none() {
        return;
    }
    for seed in 0..rounds() {
        check_workload(&StormHarness(Terminations), seed, PARAMS).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn replies_that_are_lost_break_no_invariant() {
    if server::url().is_none() {
        return;
    }
    for seed in 0..rounds() {
        check_workload(&StormHarness(LostReplies), seed, PARAMS).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_connections_serve_sixty_four_tasks() {
    let Some(place) = Place::new().await else { return };
    let store = Arc::new(place.open_with(|options| options.connections_max(2)).await);
    let one = async |store: Arc<PostgresStorage>, task: usize| {
        for n in 0..5 {
            enqueue(&*store, vec![job(&format!("{task}-{n}"))]).await;
            for held in claim(&*store, 1).await.jobs {
                settle(&*store, &held.record.meta, complete(held.token)).await;
            }
        }
    };
    let mut tasks = JoinSet::new();
    for task in 0..64 {
        let store = store.clone();
        tasks.spawn(async move { one(store, task).await });
    }
    tasks.join_all().await;
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!(counts.total(), 64 * 5);
    assert!(counts.of(State::Completed) > 0);
    place.finish(&store).await;
}

#[tokio::test]
async fn subscribers_of_a_listener_that_was_ended_read_again_and_hear_again() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open().await, place.open().await);
    let mut hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
    assert!(end_listener(&place.schema).await);
    assert_eq!(hints.next().await, Some(Hint::Missed), "there is a new connection");
    enqueue(&other, vec![job("a")]).await;
    assert_eq!(hints.next().await, Some(Hint::Wake));
    place.finish(&store).await;
}

/// A follower of every change asks other handles to announce them; that request may have expired
/// meanwhile.
#[tokio::test]
async fn after_a_listener_was_replaced_every_change_is_heard_at_once() {
    let Some(place) = Place::new().await else { return };
    let store = place.open_with(|options| options.probe_interval(Duration::from_hours(1))).await;
    let other = place.open().await;
    let mut hints = store.subscribe(&queue(), Interest::All).await.unwrap();
    place.execute("DELETE FROM {schema}.feed").await;
    assert!(end_listener(&place.schema).await);
    assert_eq!(hints.next().await, Some(Hint::Missed), "there is a new connection");
    enqueue(&other, vec![job("a")]).await;
    assert!(matches!(hints.next().await, Some(Hint::Job(_))));
    place.finish(&store).await;
}

#[tokio::test]
async fn who_follows_from_elsewhere_hears_that_a_life_was_replaced() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&other, vec![job("a")]).await;
    let held = common::claim_one(&other).await;
    settle(&other, &held.record.meta, common::fail(held.token)).await;
    let mut hints = store.subscribe(&queue(), Interest::All).await.unwrap();
    enqueue(&other, vec![job("a").with_on_failed(OnFailed::Replace)]).await;
    let mut heard = Vec::new();
    for _ in 0..2 {
        let Some(Hint::Job(change)) = hints.next().await else { panic!("a change") };
        heard.push((change.seq.get(), change.state));
    }
    assert_eq!(heard, [(1, None), (2, Some(State::Queued))]);
    place.finish(&store).await;
}

/// The server's host may have lost its power, or a transaction may hold what the call needs.
#[tokio::test]
async fn a_call_that_is_not_answered_is_given_up_with_its_connection() {
    let Some(place) = Place::new().await else { return };
    let adjust = |options: PostgresOptions| {
        options.call_timeout(Duration::from_secs(3)).connections_max(1).listen(Listen::Off)
    };
    let store = place.open_with(adjust).await;
    enqueue(&store, vec![job("before")]).await;
    let pool = place.pool(1).await;
    let mut holder = pool.begin().await.unwrap();
    let lock = format!("LOCK TABLE {}.body", place.schema.quoted());
    sqlx::raw_sql(AssertSqlSafe(lock)).execute(&mut *holder).await.unwrap();
    let error = store.enqueue(&queue(), vec![vec![job("held up")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::Unknown), "{error}");
    holder.rollback().await.unwrap();
    enqueue(&store, vec![job("after")]).await;
    place.finish(&store).await;
}

/// Rows that a handle remembers may be lost with the server's last commits.
#[tokio::test]
async fn after_a_connection_was_lost_everything_is_looked_up_again() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("before").with_priority(5)]).await;
    place.execute("DELETE FROM {schema}.lane").await;
    place.end_sessions().await;
    while store.counts(&queue()).await.is_err() {}
    enqueue(&store, vec![job("after").with_priority(5)]).await;
    let other = place.open().await;
    assert_eq!(claim(&other, 10).await.jobs.len(), 2, "the lane is there again");
    place.finish(&store).await;
}

/// A silent connection looks like one on which nothing happens.
#[tokio::test]
async fn a_listener_that_hears_nothing_is_found_out_and_replaced() {
    let Some(place) = Place::new().await else { return };
    let proxy = storm::proxy_of(&place.schema.url);
    let options = PostgresOptions::new(&storm::through(&proxy, &place.schema.url)).unwrap();
    let options = options.schema(&place.schema.name).unwrap().probe_interval(Duration::from_millis(50));
    let store = PostgresStorage::open(options.connections_max(1)).await.unwrap();
    let mut hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
    proxy.set(queue_testkit::proxy::Traffic::Silence).await.unwrap();
    // The probe is lost on one connection or the other; both must be replaced.
    proxy.wait_for(|counts| counts.silenced > 0).await;
    proxy.set(queue_testkit::proxy::Traffic::Pass).await.unwrap();
    proxy.cut().await.unwrap();
    assert_eq!(hints.next().await, Some(Hint::Missed));
    place.finish(&store).await;
}
