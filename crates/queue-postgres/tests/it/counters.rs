//! Counters: no call waits for them, their rows stay few, and a crash makes the store count again.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use crate::private::PrivateServer;
use queue_core::{Counts, QueuesQuery, State, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};
use std::sync::Arc;
use tokio::task::JoinSet;

/// The first fold of a handle comes within this many calls.
const CALLS: usize = 520;

async fn counts(store: &PostgresStorage) -> Counts {
    let counts = store.counts(&queue()).await.expect("it counts");
    let page = store.queues(QueuesQuery::all(10)).await.expect("it lists");
    assert_eq!(page.queues.len(), 1);
    let by_state = |counts: &Counts| State::ALL.map(|state| counts.of(state));
    assert_eq!(by_state(&page.queues[0].counts), by_state(&counts));
    counts
}

/// Enqueues one job after the other, and claims and completes every other one.
async fn work(store: &PostgresStorage, name: &str, calls: usize) {
    for n in 0..calls {
        enqueue(store, vec![job(&format!("{name}-{n}"))]).await;
        if n % 2 == 1 {
            let claimed = claim(store, 1).await.jobs;
            settle(store, &claimed[0].record.meta, complete(claimed[0].token)).await;
        }
    }
}

async fn changes(place: &Place) -> i64 {
    number(place, "SELECT count(*) FROM {schema}.tally").await
}

async fn number(place: &Place, query: &str) -> i64 {
    let text = query.replace("{schema}", &format!("\"{}\"", place.schema.name));
    let mut connection = place.schema.connect().await.expect("the server answers");
    sqlx::query(AssertSqlSafe(text)).fetch_one(&mut connection).await.expect("it counts").get(0)
}

#[tokio::test]
async fn changes_are_folded_now_and_then() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    work(&store, "job", CALLS).await;
    // How many were folded is a matter of time: after a slow fold the next one comes later.
    let folded = number(&place, "SELECT sum(unfinished + completed)::bigint FROM {schema}.total").await;
    assert!(folded > 0, "nobody has read the counters");
    let counted = counts(&store).await;
    assert_eq!((counted.of(State::Queued), counted.of(State::Completed)), (260, 260));
    place.finish(&store).await;
}

#[tokio::test]
async fn whoever_reads_many_changes_has_them_folded() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let many = "INSERT INTO {schema}.tally (queue, failing) SELECT 1, n % 2 * 2 - 1 FROM generate_series(1, 3000) AS n";
    place.execute(many).await;
    assert_eq!(counts(&store).await.of(State::Failing), 0);
    assert!(changes(&place).await < 10);
    place.finish(&store).await;
}

#[tokio::test]
async fn no_call_waits_for_who_holds_the_totals() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("first")]).await;
    let mut holder = place.schema.connect().await.expect("the server answers");
    let hold = format!("BEGIN; UPDATE \"{}\".total SET failing = failing", place.schema.name);
    sqlx::raw_sql(AssertSqlSafe(hold)).execute(&mut holder).await.expect("it holds them");
    work(&store, "job", CALLS).await;
    assert_eq!(counts(&store).await.total(), CALLS as u64 + 1);
    holder.close().await.expect("it lets go");
    place.finish(&store).await;
}

async fn lose_totals(place: &Place) {
    place.execute("DELETE FROM {schema}.tally").await;
    place.execute("DELETE FROM {schema}.total").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lost_totals_are_counted_anew_once_whoever_looks() {
    let Some(place) = Place::new().await else { return };
    let store = Arc::new(place.open().await);
    work(&store, "job", 10).await;
    lose_totals(&place).await;
    assert_sound(&*store).await;
    enqueue(&*store, vec![job("meanwhile")]).await;
    let looks: JoinSet<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            async move { counts(&store).await.total() }
        })
        .collect();
    assert_eq!(looks.join_all().await, [11; 8]);
    place.finish(&store).await;
}

#[tokio::test]
async fn what_is_not_committed_while_totals_are_counted_is_counted_once_it_is() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let pool = place.pool(1).await;
    let mut transaction = pool.begin().await.expect("it begins");
    store.enqueue_in(&mut transaction, &queue(), &[job("b"), job("c")]).await.expect("it enqueues");
    lose_totals(&place).await;
    assert_eq!(counts(&store).await.total(), 1);
    transaction.commit().await.expect("it commits");
    assert_eq!(counts(&store).await.total(), 3);
    place.finish(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_the_server_takes_no_count() {
    let Some(mut server) = PrivateServer::start().await else { return };
    let options = || PostgresOptions::new(&server.url()).expect("a URL");
    let store = PostgresStorage::open(options()).await.expect("it opens");
    work(&store, "job", 20).await;
    store.close().await.expect("it closes");
    let reopened = options();
    server.stop_at_once();
    server.run().await;
    assert_eq!(rows(&mut server.connect().await.expect("it serves")).await, 0, "a crash empties it");
    let store = PostgresStorage::open(reopened).await.expect("it opens");
    enqueue(&store, vec![job("after")]).await;
    let counted = counts(&store).await;
    assert_eq!((counted.of(State::Queued), counted.of(State::Completed)), (11, 10));
    assert_sound(&store).await;
    store.close().await.expect("it closes");
}

async fn rows(connection: &mut PgConnection) -> i64 {
    let count = "SELECT (SELECT count(*) FROM queue.total) + (SELECT count(*) FROM queue.tally)";
    sqlx::query(count).fetch_one(connection).await.expect("it counts").get(0)
}
