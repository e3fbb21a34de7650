//! Partitions beside transactions that stay open, many claimers, and many full partitions: what
//! only this store could break of them (ADR 84).

use crate::common::{Place, claim, claim_one, complete, enqueue, job, queue, settle};
use crate::database::Database;
use futures_util::StreamExt;
use queue_core::{
    ClaimedJob, ContentType, Interest, Limit, LimitScope, NewJob, Partition, Payload, Storage,
    lifecycle::Event,
};
use queue_postgres::PostgresStorage;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::timeout};

/// How long a call may take that waits for no other.
const SHORT: Duration = Duration::from_secs(20);
/// How long a test waits for what must come, also on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

pub(super) fn of(partition: &str, id: &str) -> NewJob {
    job(id).with_partition(Partition::new(partition).expect("a valid key"))
}

pub(super) async fn set_each(store: &PostgresStorage, running: u32) {
    let limit = Limit { running: Some(running), ..Limit::default() };
    store.set_limits(&queue(), vec![(LimitScope::EachPartition, Some(limit))]).await.expect("it sets limits");
}

fn ids(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.record.meta.id.as_str()).collect()
}

fn sorted(jobs: &[ClaimedJob]) -> Vec<&str> {
    let mut ids = ids(jobs);
    ids.sort_unstable();
    ids
}

fn done() -> Payload {
    Payload::new("null", ContentType::from_static("application/json"))
}

#[tokio::test]
async fn an_urgent_job_that_is_given_back_comes_before_the_front_of_its_open_partition() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of("a", "urgent").with_priority(-1), of("a", "a0"), of("a", "a1")]).await;
    let held = claim(&store, 1).await.jobs;
    assert_eq!(ids(&held), ["urgent"]);
    settle(&store, &held[0].record.meta, Event::release(held[0].token)).await;
    assert_eq!(ids(&claim(&store, 1).await.jobs), ["urgent"]);
}

#[tokio::test]
async fn a_transaction_of_the_application_holds_its_slot_and_nobody_waits_for_it() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(2).await);
    set_each(&store, 1).await;
    enqueue(&store, vec![of("a", "a0"), of("a", "a1"), of("b", "b0"), of("b", "b1")]).await;
    let held = claim(&store, 9).await.jobs;
    assert_eq!(ids(&held), ["a0", "b0"]);
    let (mut completes, mut enqueues) = (pool.begin().await.unwrap(), pool.begin().await.unwrap());
    store.complete_in(&mut completes, &held[0].record.meta, held[0].token, done()).await.unwrap();
    store.enqueue_in(&mut enqueues, &queue(), &[of("b", "b2"), of("c", "c0")]).await.unwrap();
    timeout(SHORT, async {
        assert!(claim(&store, 9).await.jobs.is_empty(), "the lease of a0 ends with the transaction");
        settle(&store, &held[1].record.meta, complete(held[1].token)).await;
        assert_eq!(ids(&claim(&store, 9).await.jobs), ["b1"]);
        enqueue(&store, vec![of("a", "a2"), of("d", "d0")]).await;
        assert_eq!(ids(&claim(&store, 9).await.jobs), ["d0"]);
    })
    .await
    .expect("nobody waits");
    completes.commit().await.unwrap();
    assert_eq!(ids(&claim(&store, 9).await.jobs), ["a1"]);
    enqueues.rollback().await.unwrap();
    assert!(claim(&store, 9).await.jobs.is_empty());
    place.finish(&store).await;
}

#[tokio::test]
async fn the_commit_of_a_transaction_that_frees_a_slot_wakes_other_handles() {
    let Some(place) = Place::new().await else { return };
    let (store, other, pool) = (place.open().await, place.open().await, place.pool(1).await);
    set_each(&store, 1).await;
    enqueue(&store, vec![of("a", "0"), of("a", "1")]).await;
    let held = claim_one(&store).await;
    let mut transaction = pool.begin().await.unwrap();
    store.complete_in(&mut transaction, &held.record.meta, held.token, done()).await.unwrap();
    assert!(claim(&other, 9).await.jobs.is_empty());
    let mut hints = other.subscribe(&queue(), Interest::Wake).await.unwrap();
    transaction.commit().await.unwrap();
    timeout(PATIENCE, hints.next()).await.expect("a hint comes");
    assert_eq!(ids(&claim(&other, 9).await.jobs), ["1"]);
    other.close().await.unwrap();
    place.finish(&store).await;
}

/// A transaction of the application may change the most urgent job of a partition, and stay open.
#[tokio::test]
async fn jobs_behind_one_that_a_transaction_holds_are_given() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    set_each(&store, 9).await;
    enqueue(&store, vec![job("urgent").with_priority(-1), of("a", "a-urgent").with_priority(-1)]).await;
    enqueue(&store, vec![job("0"), job("1"), of("a", "a0"), of("a", "a1")]).await;
    let mut transaction = pool.begin().await.unwrap();
    let hold = format!(
        "SELECT FROM \"{0}\".ready WHERE seq IN (SELECT seq FROM \"{0}\".body WHERE id LIKE '%urgent') FOR UPDATE",
        place.schema.name
    );
    sqlx::raw_sql(AssertSqlSafe(hold)).execute(&mut *transaction).await.unwrap();
    assert_eq!(sorted(&claim(&store, 9).await.jobs), ["0", "1", "a0", "a1"]);
    enqueue(&store, vec![job("2").with_priority(1), of("a", "a2").with_priority(1)]).await;
    assert_eq!(sorted(&claim(&store, 9).await.jobs), ["2", "a2"]);
    assert!(claim(&store, 9).await.jobs.is_empty());
    transaction.rollback().await.unwrap();
    assert_eq!(sorted(&claim(&store, 9).await.jobs), ["a-urgent", "urgent"]);
    place.finish(&store).await;
}

/// A lease may lapse, and its job go to another, before the claim has read the job.
#[tokio::test]
async fn a_claim_whose_lease_was_over_before_it_read_the_job_takes_another() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    set_each(&store, 9).await;
    enqueue(&*store, vec![job("0"), job("1")]).await;
    // The view of jobs reads this table, and a claim in turn does not.
    let mut holder = database.hold("LOCK queue.finished").await;
    let other = store.clone();
    let claiming = JoinSet::from_iter([async move { claim(&*other, 1).await }]);
    database.until_waiting(1).await;
    let another = "UPDATE queue.lease SET token = decode(repeat('5a', 16), 'hex'); COMMIT";
    sqlx::raw_sql(another).execute(&mut holder).await.unwrap();
    assert_eq!(ids(&claiming.join_all().await[0].jobs), ["1"]);
    holder.close().await.unwrap();
    store.close().await.unwrap();
    database.drop().await;
}

/// Claims take slips by the thousand, and the partition of the last one may be a small tenant's.
#[tokio::test]
async fn a_backlog_of_one_partition_hides_no_other_from_the_first_claim() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    for first in [0, 1_000, 2_000] {
        enqueue(&store, (first..first + 1_000).map(|n| of("a", &n.to_string())).collect()).await;
    }
    enqueue(&store, vec![of("b", "small")]).await;
    let first = claim(&store, 2).await.jobs;
    assert!(ids(&first).contains(&"small"), "{:?}", ids(&first));
    place.finish(&store).await;
}

const KEYS: usize = 5;
const JOBS: usize = 400;
const RUNNING: u32 = 2;

/// Claims and completes until all is done.
async fn work(store: Arc<PostgresStorage>) -> usize {
    let mut done = 0;
    while store.counts(&queue()).await.expect("it counts").unfinished() > 0 {
        for held in claim(&*store, 3).await.jobs {
            settle(&*store, &held.record.meta, complete(held.token)).await;
            done += 1;
        }
    }
    done
}

/// The most leases of a partition that one snapshot had, until it has to stop.
async fn watch(mut connection: PgConnection, schema: String, is_over: Arc<AtomicBool>) -> i64 {
    let look = format!(
        "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM {schema}.lease GROUP BY partition) AS l"
    );
    let mut most = 0;
    while !is_over.load(Ordering::Relaxed) {
        let row = sqlx::query(AssertSqlSafe(look.clone())).fetch_one(&mut connection).await;
        most = most.max(row.expect("the server answers").get(0));
    }
    connection.close().await.expect("it closes");
    most
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_claimers_at_once_take_no_partition_above_its_limit() {
    let Some(place) = Place::new().await else { return };
    let handles = [Arc::new(place.open().await), Arc::new(place.open().await), Arc::new(place.open().await)];
    set_each(&handles[0], RUNNING).await;
    let jobs = (0..JOBS).map(|n| of(&(n % KEYS).to_string(), &n.to_string())).collect();
    enqueue(&*handles[0], jobs).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let connection = place.schema.connect().await.expect("the server answers");
    let watching = watch(connection, place.schema.quoted(), is_over.clone());
    let watcher: JoinSet<i64> = [watching].into_iter().collect();
    let workers: JoinSet<_> = handles.iter().flat_map(|store| [0; 4].map(|_| work(store.clone()))).collect();
    let done: usize = workers.join_all().await.into_iter().sum();
    is_over.store(true, Ordering::Relaxed);
    let most = watcher.join_all().await[0];
    assert_eq!(done, JOBS);
    assert!((1..=i64::from(RUNNING)).contains(&most), "{most} were leased at once");
    for other in &handles[1..] {
        other.close().await.expect("it closes");
    }
    place.finish(&handles[0]).await;
}
