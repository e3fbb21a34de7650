//! Partitions in a file: what other handles, the application's own transactions and the grouping of
//! calls into one transaction could break.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request, settle};
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    ClaimRequest, Hint, Interest, Limit, LimitScope, ListFilter, ListQuery, NewJob, Partition, Span, Storage,
};
use queue_sqlite::SqliteStorage;
use rusqlite::{Connection, TransactionBehavior};
use std::time::Duration;

const LEASE: Span = Span::from_secs(30);

fn key(text: &str) -> Partition {
    Partition::new(text).expect("a valid key")
}

fn of(partition: &str, id: &str) -> NewJob {
    job(id).with_partition(key(partition))
}

async fn set_each(store: &SqliteStorage, running: Option<u32>) {
    let limit = running.map(|running| Limit { running: Some(running), ..Limit::default() });
    store.set_limits(&queue(), vec![(LimitScope::EachPartition, limit)]).await.expect("it sets limits");
}

fn number(place: &Place, sql: &str) -> i64 {
    let file = Connection::open(place.path()).expect("it is there");
    file.query_row(sql, [], |row| row.get(0)).expect("it reads")
}

#[tokio::test]
async fn a_queue_is_marked_for_as_long_as_it_has_partitions_or_limits() {
    let place = Place::new();
    let store = place.open().await;
    let marks = || number(&place, "SELECT marks FROM queue_name");
    let rows = || {
        let tables = ["queue_partition", "queue_partition_ready", "queue_limit", "queue_turn"];
        tables.map(|table| number(&place, &format!("SELECT count(*) FROM {table}")))
    };
    enqueue(&store, vec![job("plain")]).await;
    assert_eq!(marks(), 0);
    enqueue(&store, vec![of("a", "x")]).await;
    assert_eq!((marks(), rows()), (4, [1, 1, 0, 0]));
    for held in claim(&store, 9).await.jobs {
        assert_eq!(marks(), 4);
        settle(&store, &held.record.meta, complete(held.token)).await;
    }
    assert_eq!((marks(), rows()), (0, [0; 4]), "a record that is kept is not enough");
    set_each(&store, Some(1)).await;
    assert_eq!((marks(), rows()), (4, [0, 0, 1, 0]));
    set_each(&store, None).await;
    assert_eq!((marks(), rows()), (0, [0; 4]));
    assert_sound(&store).await;
}

#[tokio::test]
async fn jobs_of_partitions_in_a_transaction_of_the_application_count_if_it_commits() {
    let place = Place::new();
    let store = place.open().await;
    set_each(&store, Some(1)).await;
    enqueue(&store, vec![of("a", "first"), of("a", "second")]).await;
    let held = claim(&store, 9).await.jobs.remove(0);
    for commits in [false, true] {
        let mut connection = Connection::open(place.path()).unwrap();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let result = crate::common::text("result");
        store.complete_in(&transaction, &held.record.meta, held.token, result).unwrap();
        store.enqueue_in(&transaction, &queue(), &[of("b", "third")]).unwrap();
        if commits { transaction.commit() } else { transaction.rollback() }.unwrap();
        let ids: Vec<_> =
            claim(&store, 9).await.jobs.iter().map(|job| job.record.meta.id.to_string()).collect();
        assert_eq!(ids, if commits { vec!["second", "third"] } else { vec![] });
        assert_sound(&store).await;
    }
}

/// A claim in the transaction that stores the jobs sees them in their partitions.
#[tokio::test]
async fn calls_of_one_transaction_answer_as_one_after_the_other() {
    let place = Place::new();
    let store = place.open().await;
    set_each(&store, Some(1)).await;
    let mut lock = Connection::open(place.path()).unwrap();
    let lock = lock.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let none = ClaimRequest { limited_max: 0, ..request(9, LEASE) };
    let queue = queue();
    // The writer begins with this one alone, and waits for the lock; the others come in one group.
    let mut alone = Box::pin(store.enqueue(&queue, vec![vec![of("a", "0")]]));
    assert!((&mut alone).now_or_never().is_none());
    let mut stored = Box::pin(store.enqueue(&queue, vec![vec![of("a", "1"), job("plain"), of("b", "0b")]]));
    let mut claims = [none, request(1, LEASE), request(9, LEASE)].map(|asks| Box::pin(store.claim(asks)));
    assert!((&mut stored).now_or_never().is_none());
    assert!(claims.iter_mut().all(|claim| claim.now_or_never().is_none()));
    lock.rollback().unwrap();
    alone.await.unwrap();
    stored.await.unwrap();
    let ids = |claimed: queue_core::Claimed| {
        claimed.jobs.iter().map(|job| job.record.meta.id.to_string()).collect::<Vec<_>>()
    };
    let mut answers = Vec::new();
    for claim in claims {
        answers.push(ids(claim.await.unwrap()));
    }
    assert_eq!(answers, [["plain"], ["0"], ["0b"]]);
    assert_sound(&store).await;
}

/// The other handle listens; a hint that a job of a full partition has come is no reason for the
/// test to fail, but one is sure when a lease ends.
#[tokio::test]
async fn the_end_of_a_lease_wakes_other_handles_for_the_job_that_it_blocked() {
    let place = Place::new();
    let (store, other) = (place.open().await, place.open().await);
    set_each(&store, Some(1)).await;
    enqueue(&store, vec![of("a", "0"), of("a", "1")]).await;
    let held = claim(&store, 9).await.jobs.remove(0);
    let mut hints = other.subscribe(&queue(), Interest::Wake).await.unwrap();
    settle(&store, &held.record.meta, complete(held.token)).await;
    let hint = tokio::time::timeout(Duration::from_secs(60), hints.next()).await.expect("a hint comes");
    assert!(matches!(hint, Some(Hint::Wake | Hint::Missed)), "{hint:?}");
    assert_eq!(claim(&other, 9).await.jobs.len(), 1);
}

#[tokio::test]
async fn a_listing_by_partition_pages_through_jobs_of_all_states() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![of("a", "0"), of("b", "1"), of("a", "2"), job("3")]).await;
    let held = claim(&store, 1).await.jobs.remove(0);
    settle(&store, &held.record.meta, complete(held.token)).await;
    let filter = ListFilter { partition: Some(key("a")), ..ListFilter::default() };
    let page = store.list(ListQuery::all(queue(), 9).matching(filter)).await.unwrap();
    assert_eq!(page.jobs.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["0", "2"]);
}
