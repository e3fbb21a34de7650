//! Completions in transactions that do not see what others commit meanwhile.

use crate::common::{Place, claim_one, enqueue, job, settle, text};
use queue_core::{
    Applied, Certainty, Changed, ClaimedJob, ErrorKind, Span, State, Storage,
    lifecycle::{Event, Policy, decide},
};
use queue_postgres::PostgresStorage;

const STRICTER: [&str; 2] = ["BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN ISOLATION LEVEL SERIALIZABLE"];

async fn held_job(store: &PostgresStorage, id: &str) -> ClaimedJob {
    enqueue(store, vec![job(id)]).await;
    claim_one(store).await
}

fn beat(held: &ClaimedJob) -> Event {
    Event::Extend { token: held.token, by: Span::from_secs(60), progress: None }
}

#[tokio::test]
async fn a_heartbeat_since_its_first_statement_is_told_with_what_to_do() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    for (id, begin) in ["a", "b"].into_iter().zip(STRICTER) {
        let held = held_job(&store, id).await;
        let mut transaction = pool.begin_with(begin).await.unwrap();
        sqlx::query("SELECT count(*) FROM pg_class").execute(&mut *transaction).await.unwrap();
        assert!(matches!(settle(&store, &held.record.meta, beat(&held)).await, Changed::Done(_)));
        let late = store.complete_in(&mut transaction, &held.record.meta, held.token, text("x")).await;
        let error = late.expect_err("the row is newer than the snapshot");
        assert_eq!(
            (error.kind(), error.certainty()),
            (ErrorKind::Conflict, Certainty::NotApplied),
            "{error}"
        );
        assert!(error.message().contains("READ COMMITTED"), "{error}");
        transaction.rollback().await.unwrap();
    }
    place.finish(&store).await;
}

#[tokio::test]
async fn a_job_that_is_completed_first_is_left_alone_by_heartbeats() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    for (id, begin) in ["a", "b"].into_iter().zip(STRICTER) {
        let held = held_job(&store, id).await;
        let mut transaction = pool.begin_with(begin).await.unwrap();
        let done =
            store.complete_in(&mut transaction, &held.record.meta, held.token, text("x")).await.unwrap();
        assert!(matches!(done, Changed::Done(meta) if meta.state == State::Completed));
        let beat = decide(&held.record.meta, beat(&held), &Policy::default()).unwrap();
        let beaten = store.apply(vec![beat]).await.unwrap().value;
        assert!(matches!(&beaten[..], [Applied::Stale(_)]), "{beaten:?}");
        transaction.commit().await.expect("nothing changed what it saw");
    }
    place.finish(&store).await;
}
