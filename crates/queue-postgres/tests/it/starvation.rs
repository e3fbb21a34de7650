//! Heartbeats do not wait, also while other calls hold all connections.

use crate::common::{Place, assert_sound, claim_one, complete, enqueue, job, queue, settle, text};
use queue_core::{Changed, ClaimedJob, Span, Storage, lifecycle::Event};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::postgres::PgPoolOptions;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::task::JoinSet;

/// Far longer than a call that gets its connection at once needs on a busy machine. A call that
/// does not get one gets an error that says so.
const PATIENCE: Duration = Duration::from_secs(20);

fn extend(held: &ClaimedJob) -> Event {
    Event::Extend { token: held.token, by: Span::from_secs(60), progress: None }
}

#[tokio::test]
async fn handlers_that_hold_every_connection_of_their_pool_keep_no_heartbeat_and_no_settle_waiting() {
    let Some(place) = Place::new().await else { return };
    let pool = PgPoolOptions::new().max_connections(2).acquire_timeout(PATIENCE);
    let pool = pool.connect(&place.schema.url).await.unwrap();
    let options = PostgresOptions::with_pool(pool.clone()).schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options.acquire_timeout(PATIENCE)).await.unwrap();
    enqueue(&store, vec![job("a")]).await;
    let held = claim_one(&store).await;
    let (one, other) = (pool.begin().await.unwrap(), pool.begin().await.unwrap());
    assert!(matches!(settle(&store, &held.record.meta, extend(&held)).await, Changed::Done(_)));
    assert!(matches!(settle(&store, &held.record.meta, complete(held.token)).await, Changed::Done(_)));
    one.rollback().await.unwrap();
    other.rollback().await.unwrap();
    assert_sound(&store).await;
    store.close().await.unwrap();
    place.remove().await;
}

/// Many callers may enqueue an id that a transaction holds.
#[tokio::test]
async fn calls_that_wait_for_a_transaction_keep_no_heartbeat_waiting() {
    let Some(place) = Place::new().await else { return };
    let store =
        Arc::new(place.open_with(|options| options.connections_max(1).acquire_timeout(PATIENCE)).await);
    enqueue(&*store, vec![job("a")]).await;
    let held = claim_one(&store).await;
    let pool = place.pool(1).await;
    let mut transaction = pool.begin().await.unwrap();
    store.enqueue_in(&mut transaction, &queue(), &[job("b")]).await.unwrap();
    let mut waiting = JoinSet::new();
    let other = store.clone();
    waiting.spawn(async move { other.enqueue(&queue(), vec![vec![job("b")]]).await });
    place.until_one_waits_for_a_lock().await;
    assert!(matches!(settle(&*store, &held.record.meta, extend(&held)).await, Changed::Done(_)));
    transaction.rollback().await.unwrap();
    waiting.join_next().await.unwrap().unwrap().expect("the id is free now");
    place.finish(&store).await;
}

#[tokio::test]
async fn calls_that_follow_each_other_use_one_connection() {
    let Some(place) = Place::new().await else { return };
    let connects = Arc::new(AtomicUsize::new(0));
    let counted = connects.clone();
    let pool = PgPoolOptions::new().after_connect(move |_, _| {
        counted.fetch_add(1, SeqCst);
        Box::pin(async { Ok(()) })
    });
    let pool = pool.connect_lazy(&place.schema.url).unwrap();
    let options = PostgresOptions::with_pool(pool).schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.unwrap();
    for n in 0..50 {
        enqueue(&store, vec![job(&n.to_string())]).await;
    }
    assert_eq!(connects.load(SeqCst), 1, "the hooks of the pool are called, and once");
    assert_sound(&store).await;
    store.close().await.unwrap();
    place.remove().await;
}

#[tokio::test]
async fn a_pool_that_connects_otherwise_from_now_on_is_followed() {
    let Some(place) = Place::new().await else { return };
    let pool = place.pool(1).await;
    let options = PostgresOptions::with_pool(pool.clone()).schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.unwrap();
    pool.set_connect_options((*pool.connect_options()).clone().application_name("renamed"));
    // The connection for heartbeats was not used yet, so it is opened now.
    enqueue(&store, vec![job("a")]).await;
    let held = claim_one(&store).await;
    settle(&store, &held.record.meta, extend(&held)).await;
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'renamed'";
    let (sessions,): (i64,) = sqlx::query_as(count).fetch_one(&pool).await.unwrap();
    assert_eq!(sessions, 1);
    let done = Event::Complete { token: held.token, result: text("x"), retention: None, then: Vec::new() };
    assert!(matches!(settle(&store, &held.record.meta, done).await, Changed::Done(_)));
    store.close().await.unwrap();
    place.remove().await;
}

/// A program may wait for something else first, or hold a stream of calls of which it took one.
#[tokio::test]
async fn a_call_that_nobody_polls_keeps_no_other_waiting() {
    let Some(place) = Place::new().await else { return };
    let store = place.open_with(|options| options.acquire_timeout(PATIENCE)).await;
    let queue = queue();
    let mut rests = store.enqueue(&queue, vec![vec![job("a")]]);
    assert!(futures_util::poll!(&mut rests).is_pending(), "it has to connect first");
    enqueue(&store, vec![job("b")]).await;
    let answer = rests.await.expect("it goes on where it was left");
    assert!(answer.value[0][0].is_new());
    place.finish(&store).await;
}
