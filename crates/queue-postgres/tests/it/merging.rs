//! Calls of many tasks on one handle share transactions, however it was opened.
//!
//! The gain is a figure for people: `cargo test -p queue-postgres --test it --
//! --ignored --nocapture merging`.

use crate::common::{Place, claim, complete, enqueue, job};
use futures_util::future::{join, join_all};
use queue_core::{
    Applied, Storage,
    lifecycle::{Policy, decide},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, Connection as _, Row};
use std::sync::Arc;
use tokio::{task::JoinSet, time::Instant};

pub(super) const CALLS: usize = 64;
/// One transaction for the call that finds no other under way, and one for those behind it.
const TRANSACTIONS: i64 = 2;

/// The number of transactions that wrote the rows of a table.
pub(super) async fn transactions(place: &Place, table: &str) -> (i64, i64) {
    let count = format!("SELECT count(*), count(DISTINCT xmin::text) FROM {}.{table}", place.schema.quoted());
    let mut connection = place.schema.connect().await.expect("the server answers");
    let row = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut connection).await.expect("the table is there");
    (row.get(0), row.get(1))
}

/// Makes calls while a table is locked against writes, so that all of them are there before the
/// first is answered, however slow the machine is.
pub(super) async fn behind_a_lock<T>(
    place: &Place,
    table: &str,
    calls: impl Future<Output = Vec<T>>,
) -> Vec<T> {
    let lock = format!("LOCK TABLE {}.{table} IN SHARE MODE", place.schema.quoted());
    let mut connection = place.schema.connect().await.expect("the server answers");
    let mut transaction = connection.begin().await.expect("it begins");
    sqlx::query(AssertSqlSafe(lock)).execute(&mut *transaction).await.expect("nobody writes");
    // The calls are polled first.
    let unlock = async { transaction.commit().await.expect("it ends") };
    join(calls, unlock).await.0
}

#[tokio::test]
async fn calls_on_a_handle_with_the_applications_pool_share_commits() {
    let Some(place) = Place::new().await else { return };
    let options = PostgresOptions::with_pool(place.pool(1).await).schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.unwrap();
    // From here on the handle knows the queue.
    enqueue(&store, vec![job("first")]).await;
    let calls = join_all((0..CALLS).map(async |n| enqueue(&store, vec![job(&n.to_string())]).await));
    behind_a_lock(&place, "body", calls).await;
    let (jobs, enqueues) = transactions(&place, "body").await;
    assert_eq!(jobs, 1 + i64::try_from(CALLS).unwrap());
    assert_eq!(enqueues, 1 + TRANSACTIONS);

    let held = claim(&store, 1 + CALLS).await.jobs;
    let settles = held.iter().map(|held| {
        let event = complete(held.token);
        store.apply(vec![decide(&held.record.meta, event, &Policy::default()).expect("it is held")])
    });
    for applied in behind_a_lock(&place, "finished", join_all(settles)).await {
        assert!(matches!(applied.unwrap().value[..], [Applied::Done(_)]));
    }
    let (jobs, settles) = transactions(&place, "finished").await;
    assert_eq!(jobs, 1 + i64::try_from(CALLS).unwrap());
    assert_eq!(settles, TRANSACTIONS);
    place.finish(&store).await;
}

/// The rate, in jobs per second, of callers that each enqueue one job after the other.
async fn rate(store: Arc<PostgresStorage>, run: usize) -> f64 {
    const EACH: usize = 100;
    let begun = Instant::now();
    let caller = |caller| {
        let store = store.clone();
        async move {
            for n in 0..EACH {
                enqueue(&*store, vec![job(&format!("{run}-{caller}-{n}"))]).await;
            }
        }
    };
    (0..CALLS).map(caller).collect::<JoinSet<_>>().join_all().await;
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let jobs = (CALLS * EACH) as f64;
    jobs / begun.elapsed().as_secs_f64()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures, and asserts nothing"]
async fn jobs_a_second_of_64_callers() {
    let Some(place) = Place::new().await else { return };
    let pool = place.pool(8).await;
    let shared = PostgresOptions::with_pool(pool).schema(&place.schema.name).unwrap();
    let shared = Arc::new(PostgresStorage::open(shared).await.unwrap());
    let by_url = Arc::new(place.open().await);
    for run in 0..3 {
        println!("with the application's pool: {:.0} jobs/s", rate(shared.clone(), 2 * run).await);
        println!("by URL:                      {:.0} jobs/s", rate(by_url.clone(), 2 * run + 1).await);
    }
    place.remove().await;
}
