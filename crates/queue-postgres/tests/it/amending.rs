//! Waiting jobs that are amended while others claim, listen, or have not committed yet.

use crate::common::{self, Place, claim, enqueue, job, queue, settle, text};
use crate::database::Database;
use futures_util::StreamExt;
use queue_core::{
    Changed, Detail, Hint, Interest, JobRecord, Span, State, Storage, StorageExt,
    lifecycle::{Amendment, Event, Policy},
};
use queue_postgres::PostgresStorage;
use sqlx::Connection;
use std::sync::Arc;
use tokio::task::JoinSet;

/// A transaction with a shared lock can read a queue's lanes, and a claim reads them before it
/// looks for jobs.
const HELD_LANES: &str = "ALTER TABLE queue.lane RENAME TO open_lane; CREATE VIEW queue.lane AS
    SELECT * FROM queue.open_lane WHERE pg_advisory_xact_lock_shared(7) IS NOT NULL; COMMIT; BEGIN;
    SELECT pg_advisory_xact_lock(7)";

fn amend(amendment: Amendment) -> Event {
    Event::Amend(amendment)
}

async fn find(store: &PostgresStorage, id: &str) -> JobRecord {
    store.get_one(&queue(), &job(id).id, Detail::Full).await.expect("it reads").expect("it is there")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_began_before_an_amendment_does_not_bring_the_old_payload() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a")]).await;
    let seen = find(&store, "a").await.meta;
    let mut lanes = database.hold(HELD_LANES).await;
    let other = database.open().await;
    let claims = JoinSet::from_iter([async move { (claim(&*other, 1).await, other) }]);
    database.until_waiting(1).await;

    let new = Amendment { payload: Some(text("new")), ..Amendment::default() };
    assert!(matches!(settle(&*store, &seen, amend(new)).await, Changed::Done(_)));
    sqlx::raw_sql("COMMIT").execute(&mut lanes).await.expect("it commits");
    let (early, other) = claims.join_all().await.remove(0);
    assert!(early.next_due.is_some(), "there is something to come back for");
    let jobs = [early.jobs, claim(&*store, 1).await.jobs].concat();
    let payloads: Vec<_> = jobs.iter().map(|job| &job.record.body.as_ref().expect("whole").payload).collect();
    assert_eq!(payloads, [&text("new")]);
    for store in [store, other] {
        store.close().await.expect("it closes");
    }
    lanes.close().await.expect("it closes");
    database.drop().await;
}

#[tokio::test]
async fn a_handle_elsewhere_hears_of_a_job_that_comes_due_earlier() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, vec![job("a").with_delay(Span::from_secs(3600))]).await;
    let seen = find(&store, "a").await.meta;
    let mut hints = other.subscribe(&queue(), Interest::Wake).await.expect("it subscribes");
    let at_once = Amendment { delay: Some(Span::ZERO), ..Amendment::of_priority(-3) };
    assert!(matches!(settle(&store, &seen, amend(at_once.clone())).await, Changed::Done(_)));
    assert_eq!(hints.next().await, Some(Hint::Wake));
    assert_eq!(claim(&other, 1).await.jobs.len(), 1, "its lane is there");

    let mut changes = other.subscribe(&queue(), Interest::All).await.expect("it subscribes");
    enqueue(&store, vec![job("b")]).await;
    assert!(matches!(settle(&store, &find(&store, "b").await.meta, amend(at_once)).await, Changed::Done(_)));
    let mut heard = Vec::new();
    while heard.len() < 2 {
        if let Some(Hint::Job(change)) = changes.next().await {
            heard.push((change.id, change.revision, change.state));
        }
    }
    let waits = |revision| (job("b").id, revision, Some(State::Queued));
    assert_eq!(heard, [waits(1), waits(2)]);
    other.close().await.expect("it closes");
    place.finish(&store).await;
}

#[tokio::test]
async fn an_amendment_in_a_callers_transaction_is_there_if_that_commits() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("a")]).await;
    let before = find(&store, "a").await;
    let new = Amendment { payload: Some(text("new")), ..Amendment::of_priority(11) };
    for commits in [false, true] {
        let mut transaction = pool.begin().await.expect("the server answers");
        let event = amend(new.clone());
        let answer = store.settle_in(&mut transaction, &before.meta, event, &Policy::default()).await;
        assert!(matches!(answer.expect("the server answers"), Changed::Done(_)));
        assert_eq!(find(&store, "a").await, before, "nobody else sees it yet");
        if commits { transaction.commit().await } else { transaction.rollback().await }
            .expect("the server answers");
    }
    let held = common::claim_one(&store).await.record;
    assert_eq!((held.meta.priority, held.body.expect("whole").payload), (11, text("new")));
    place.finish(&store).await;
}

/// The even ones are due at once, and the others wait until the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn amendments_and_claims_at_once_lose_nothing_and_leave_the_store_sound() {
    const JOBS: usize = 60;
    const TASKS: i16 = 4;
    let Some(place) = Place::new().await else { return };
    let store = Arc::new(place.open().await);
    let delay = |n: usize| if n.is_multiple_of(2) { Span::ZERO } else { Span::from_secs(3600) };
    enqueue(&*store, (0..JOBS).map(|n| job(&n.to_string()).with_delay(delay(n))).collect()).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = store.clone();
        tasks.spawn(async move {
            for n in (0..JOBS).rev() {
                let seen = find(&store, &n.to_string()).await.meta;
                let new =
                    Amendment { payload: Some(text("amended, and longer")), ..Amendment::of_priority(task) };
                let changed = settle(&*store, &seen, amend(new)).await;
                assert!(n.is_multiple_of(2) || matches!(changed, Changed::Done(_)), "{changed:?}");
            }
        });
    }
    let mut held = Vec::new();
    while held.len() < JOBS / 2 {
        held.extend(claim(&*store, 1).await.jobs);
    }
    tasks.join_all().await;
    for job in held {
        assert_eq!(find(&store, job.record.meta.id.as_str()).await, job.record);
    }
    for n in (1..JOBS).step_by(2) {
        let JobRecord { meta, body } = find(&store, &n.to_string()).await;
        let revision = 1 + u64::try_from(TASKS).expect("a few");
        assert_eq!((meta.revision, body.expect("whole").payload), (revision, text("amended, and longer")));
    }
    place.finish(&store).await;
}
