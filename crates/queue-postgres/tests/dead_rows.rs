//! While an old snapshot is held, removed rows are not cleaned away. Calls still look up the rows
//! that they need, and read none of those, although the server believes the tables to be small,
//! since it last saw them empty.

mod common;

use common::{Place, claim, complete, enqueue, fail, job, request};
use queue_core::{
    ClaimedJob, Span, Storage,
    lifecycle::{Event, OnProcessing, Policy, decide},
};
use queue_postgres::{Pooler, PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, Row, postgres::PgRow};
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::Mutex;

/// The jobs that leave a dead row each, in two tables.
const DEAD: usize = 4_000;
/// The jobs that each call concerns.
const LIVE: usize = 100;
/// The index entries that a call may read for one job in one index.
const EACH: usize = 10;
/// The looks from the start of the due jobs or of the leases, which do read dead rows: two of a
/// claim, one of a search for lapsed leases.
const WALKS: usize = 3;

/// Enough waiting jobs that the queue is long and claims are small.
const WAITING: usize = 5_000;
const CLAIMS: usize = 10;
const CLAIM: usize = 10;

/// A snapshot affects all tables, so these tests take turns.
static ALONE: Mutex<()> = Mutex::const_new(());

/// The index entries read since the tables were created.
type Reads = BTreeMap<String, usize>;

fn counted(entries: i64) -> usize {
    usize::try_from(entries).expect("a count is not negative")
}

async fn reads(place: &Place) -> sqlx::Result<Reads> {
    let text = format!(
        "SELECT indexrelname, idx_tup_read FROM pg_stat_user_indexes WHERE schemaname = '{}'",
        place.schema.name
    );
    let mut connection = PgConnection::connect(&place.schema.url).await?;
    let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(&mut connection).await?;
    connection.close().await?;
    let read = |row: &PgRow| Ok((row.try_get(0)?, counted(row.try_get(1)?)));
    rows.iter().map(read).collect()
}

/// The reads once they stand still: a session counts for itself, and reports at its end.
async fn settled_reads(place: &Place) -> Reads {
    let mut last = reads(place).await.expect("the server answers");
    loop {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        let now = reads(place).await.expect("the server answers");
        if now == last {
            return now;
        }
        last = now;
    }
}

async fn apply(store: &PostgresStorage, jobs: &[ClaimedJob], event: impl Fn(&ClaimedJob) -> Event) {
    let decided = jobs.iter().map(|job| decide(&job.record.meta, event(job), &Policy::default()));
    let batch: Result<_, _> = decided.collect();
    let applied = store.apply(batch.expect("a held job allows it")).await.expect("it applies").value;
    assert!(applied.iter().all(queue_core::Applied::is_done), "nobody else is there");
}

/// Makes each kind of change of a live job.
async fn change(store: &PostgresStorage) {
    let extend =
        |job: &ClaimedJob| Event::Extend { token: job.token, by: Span::from_secs(60), progress: None };
    enqueue(store, (0..3 * LIVE).map(|n| job(&n.to_string())).collect()).await;
    let held = claim(store, LIVE * 3).await.jobs;
    let (moved, rest) = held.split_at(held.len() / 3);
    let (marked, completed) = rest.split_at(rest.len() / 2);
    apply(store, marked, |_| Event::Cancel { processing: OnProcessing::Request }).await;
    apply(store, &held, extend).await;
    apply(store, moved, |job| fail(job.token)).await;
    apply(store, completed, |job| complete(job.token)).await;
}

async fn hold_snapshot(place: &Place) -> sqlx::Result<PgConnection> {
    let mut holder = PgConnection::connect(&place.schema.url).await?;
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
        .execute(&mut holder)
        .await?;
    Ok(holder)
}

/// Fills and empties the tables. The server knows what the values in them were like, and counts the
/// live rows: none.
async fn fill_and_empty(place: &Place, jobs: usize) {
    let store = place.open().await;
    enqueue(&store, (0..jobs).map(|n| job(&format!("dead-{n}"))).collect()).await;
    place.execute("ANALYZE {schema}.ready").await;
    let held = claim(&store, jobs).await.jobs;
    place.execute("ANALYZE {schema}.lease").await;
    apply(&store, &held, |job| complete(job.token)).await;
    store.close().await.expect("it closes");
    for table in ["ready", "lease"] {
        place.execute(&format!("VACUUM {{schema}}.{table}")).await;
    }
}

/// Removes what is left of the jobs once no snapshot from before exists: an automatic ANALYZE of
/// another table, for example, makes VACUUM keep them.
async fn clean(place: &Place) {
    let older =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()";
    let mut connection = PgConnection::connect(&place.schema.url).await.expect("the server answers");
    while sqlx::query_scalar::<_, i64>(older).fetch_one(&mut connection).await.expect("a count") > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    place.execute("VACUUM {schema}.ready").await;
    connection.close().await.expect("it closes");
}

async fn assert_claims_read_what_they_take(options: impl FnOnce(&Place, PgPool) -> PostgresOptions) {
    let _alone = ALONE.lock().await;
    let Some(place) = Place::new().await else { return };
    // An automatic ANALYZE may hold a snapshot while the tables are emptied.
    let passing = hold_snapshot(&place).await.expect("the server answers");
    fill_and_empty(&place, WAITING).await;
    drop(passing);
    clean(&place).await;
    let before = settled_reads(&place).await;

    let pool = place.pool(1).await;
    let store = PostgresStorage::open(options(&place, pool.clone())).await.expect("it opens");
    enqueue(&store, (0..WAITING).map(|n| job(&n.to_string())).collect()).await;
    for _ in 0..CLAIMS {
        assert_eq!(claim(&store, CLAIM).await.jobs.len(), CLAIM);
    }
    store.close().await.expect("it closes");
    pool.close().await;

    let reads = settled_reads(&place).await["ready_order"] - before["ready_order"];
    assert!((1..WAITING).contains(&reads), "{reads} entries read, of {WAITING} that wait");
    let store = place.open().await;
    place.finish(&store).await;
}

#[tokio::test]
async fn a_claim_reads_what_it_takes_however_much_waits_behind() {
    assert_claims_read_what_they_take(|place, _| place.options().connections_max(1)).await;
}

#[tokio::test]
async fn so_it_does_on_connections_that_keep_no_settings() {
    let pooler = Pooler::Transactions;
    assert_claims_read_what_they_take(|place, _| place.options().connections_max(1).pooler(pooler)).await;
}

#[tokio::test]
async fn so_it_does_on_connections_of_the_applications_pool() {
    assert_claims_read_what_they_take(|place, pool| {
        PostgresOptions::with_pool(pool).schema(&place.schema.name).expect("a valid name")
    })
    .await;
}

#[tokio::test]
async fn calls_look_up_their_rows_and_walk_through_no_dead_ones() {
    let _alone = ALONE.lock().await;
    let Some(place) = Place::new().await else { return };
    let holder = hold_snapshot(&place).await.unwrap();
    fill_and_empty(&place, DEAD).await;
    let before = settled_reads(&place).await;

    let store = place.open_with(|options| options.connections_max(1)).await;
    change(&store).await;
    store.close().await.expect("it closes");

    let after = settled_reads(&place).await;
    let read = |index: &str| after[index] - before[index];
    for index in ["ready_pkey", "lease_pkey"] {
        let reads = read(index);
        assert!((LIVE..DEAD).contains(&reads), "{reads} of {index}, of {DEAD} dead ones");
    }
    for index in ["ready_order", "lease_deadline"] {
        let reads = read(index);
        assert!(reads < WALKS * DEAD + EACH * 3 * LIVE, "{reads} of {index}, of {DEAD} dead ones");
    }
    holder.close().await.unwrap();
    let store = place.open().await;
    assert_eq!(store.claim(request(1, Span::from_secs(1))).await.unwrap().jobs, []);
    place.finish(&store).await;
}
