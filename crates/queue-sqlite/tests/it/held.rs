//! A handle remembers the jobs that it claimed. It does not overwrite what others do to them
//! meanwhile.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{
    Changed, ClaimedJob, Detail, JobId, ManualClock, Prune, PruneRequest, Span, State, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_sqlite::SqliteStorage;
use std::{sync::Arc, time::Duration};

/// Two handles, and a job that the first one holds.
async fn held(place: &Place) -> (SqliteStorage, SqliteStorage, ClaimedJob) {
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, vec![job("a")]).await;
    let held = claim(&store, 1).await.jobs.remove(0);
    (store, other, held)
}

async fn state(store: &SqliteStorage) -> State {
    let record = store.get_one(&queue(), &JobId::from_static("a"), Detail::Meta).await.expect("it reads");
    record.expect("it is kept").meta.state
}

#[tokio::test]
async fn a_cancellation_that_another_handle_asked_for_is_heeded_by_the_release() {
    let place = Place::new();
    let (store, other, held) = held(&place).await;
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    other.change(&queue(), &JobId::from_static("a"), cancel, &Policy::default()).await.unwrap();
    settle(&store, &held.record.meta, Event::release(held.token)).await;
    assert_eq!(state(&store).await, State::Cancelled);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_job_that_another_handle_removed_is_missing_to_its_holder() {
    let place = Place::new();
    let (store, other, held) = held(&place).await;
    let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: 1 };
    assert_eq!(other.prune(everything).await.unwrap(), 1);
    let answer = settle(&store, &held.record.meta, complete(held.token)).await;
    assert_eq!(answer, Changed::Missing);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_lease_that_another_handle_took_over_is_lost_to_its_holder() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let store = SqliteStorage::open(place.options().clock(clock.clone())).await.unwrap();
    let other = SqliteStorage::open(place.options().clock(clock.clone())).await.unwrap();
    enqueue(&store, vec![job("a")]).await;
    let held = claim(&store, 1).await.jobs.remove(0);
    clock.advance(Duration::from_secs(31));
    let id = JobId::from_static("a");
    other.change(&queue(), &id, Event::Lapse, &Policy::default()).await.unwrap();
    let taken_over = claim(&other, 1).await.jobs.remove(0);
    let answer = settle(&store, &held.record.meta, complete(held.token)).await;
    assert!(matches!(answer, Changed::LeaseLost(_)), "{answer:?}");
    settle(&other, &taken_over.record.meta, complete(taken_over.token)).await;
    assert_eq!(state(&store).await, State::Completed);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_heartbeat_is_remembered_with_what_it_wrote() {
    let place = Place::new();
    let (store, other, held) = held(&place).await;
    let (token, by) = (held.token, Span::from_secs(60));
    let beat = |progress: &'static str| Event::Extend { token, by, progress: Some(progress.into()) };
    settle(&store, &held.record.meta, beat("one")).await;
    settle(&other, &held.record.meta, beat("two")).await;
    let Changed::Done(meta) = settle(&store, &held.record.meta, Event::release(token)).await else {
        panic!("it is still held")
    };
    assert_eq!(meta.progress(), Some(&b"two"[..]));
    assert_sound(&store).await;
}
