//! Databases, roles and applications whose default isolation is stricter than the one that the
//! store's statements are written for.

use crate::common::{self, assert_sound, claim, complete, enqueue, job, settle};
use crate::database::Database;
use queue_core::{ClaimedJob, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, Executor, PgPool, postgres::PgPoolOptions};
use std::sync::Arc;
use tokio::task::JoinSet;

const STRICTER: [&str; 2] = ["repeatable read", "serializable"];
const HANDLES: usize = 6;
const TASKS: usize = 12;
const JOBS_EACH: usize = 10;

/// A database whose sessions start with this isolation.
async fn strict(isolation: &str) -> Option<Database> {
    let database = Database::new().await?;
    let set = format!(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = {isolation:?}', \
        current_database()); END $$"
    );
    let pool = PgPool::connect(&database.url).await.expect("the server answers");
    pool.execute(AssertSqlSafe(set)).await.expect("the owner may");
    pool.close().await;
    Some(database)
}

/// The pool of an application that makes every session serializable.
async fn hooked(url: &str) -> PgPool {
    let options = PgPoolOptions::new().max_connections(2).after_connect(|connection, _| {
        let set = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE";
        Box::pin(async move { connection.execute(set).await.map(drop) })
    });
    options.connect(url).await.expect("the server answers")
}

async fn open_at_once(options: Vec<PostgresOptions>) -> Vec<Arc<PostgresStorage>> {
    let opens: JoinSet<_> = options.into_iter().map(PostgresStorage::open).collect();
    opens.join_all().await.into_iter().map(|store| Arc::new(store.expect("it opens"))).collect()
}

/// Enqueues, claims and completes beside other tasks that do the same.
async fn work(store: Arc<PostgresStorage>, task: usize) {
    for n in 0..JOBS_EACH {
        enqueue(&*store, vec![job(&format!("{task}-{n}"))]).await;
        for ClaimedJob { record, token } in claim(&*store, 3).await.jobs {
            settle(&*store, &record.meta, complete(token)).await;
        }
    }
}

/// Asserts that no call fails, and no job is left.
async fn check(stores: Vec<Arc<PostgresStorage>>) {
    let tasks: JoinSet<_> = (0..TASKS).map(|task| work(stores[task % stores.len()].clone(), task)).collect();
    tasks.join_all().await;
    while let Some(ClaimedJob { record, token }) = claim(&*stores[0], 1).await.jobs.pop() {
        settle(&*stores[0], &record.meta, complete(token)).await;
    }
    let counts = stores[0].counts(&common::queue()).await.expect("the server answers");
    assert_eq!(counts.of(queue_core::State::Completed), (TASKS * JOBS_EACH) as u64);
    assert_sound(&*stores[0]).await;
    for store in stores {
        store.close().await.expect("it closes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_open_one_schema_at_once_work_under_a_stricter_default() {
    for isolation in STRICTER {
        let Some(database) = strict(isolation).await else { return };
        let options = (0..HANDLES).map(|_| database.options().connections_max(2)).collect();
        check(open_at_once(options).await).await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_whose_pool_makes_sessions_serializable_works() {
    let Some(database) = Database::new().await else { return };
    let pool = hooked(&database.url).await;
    let options = (0..HANDLES).map(|_| PostgresOptions::with_pool(pool.clone())).collect();
    check(open_at_once(options).await).await;
    pool.close().await;
    database.drop().await;
}
