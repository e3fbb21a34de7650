//! The stores of the races, each with three handles, as three programs have them.

use super::race;
use crate::{served::Served, server};
use queue::{
    FsOptions, FsStorage, MemoryStorage, PostgresOptions, PostgresStorage, RedisOptions, RedisStorage,
    SqliteOptions, SqliteStorage, Storage,
    sqlx::{AssertSqlSafe, PgPool, raw_sql},
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// A server that is silent for longer than this is taken for gone.
const SILENCE_MAX: Duration = Duration::from_millis(300);
/// A server that is never taken for gone.
const PATIENT: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_memory_is_never_missing_beside_its_declarers() {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    race("memory", [store.clone(), store.clone(), store]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_a_file_is_never_missing_beside_its_declarers() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = async || {
        let options = SqliteOptions::new(directory.path().join("jobs.db"));
        Arc::new(SqliteStorage::open(options).await.expect("opens")) as Arc<dyn Storage>
    };
    race("sqlite", [open().await, open().await, open().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_a_directory_is_never_missing_beside_its_declarers() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = async || {
        Arc::new(FsStorage::open(FsOptions::new(directory.path())).await.expect("opens")) as Arc<dyn Storage>
    };
    race("files", [open().await, open().await, open().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_postgres_is_never_missing_beside_its_declarers() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    let schema = format!("declarers_{}", std::process::id());
    let open = async || {
        let options = PostgresOptions::new(&url).and_then(|options| options.schema(&schema)).expect("valid");
        Arc::new(PostgresStorage::open(options).await.expect("opens")) as Arc<dyn Storage>
    };
    race("postgres", [open().await, open().await, open().await]).await;
    let pool = PgPool::connect(&url).await.expect("connects");
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    raw_sql(AssertSqlSafe(drop)).execute(&pool).await.expect("it is removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_redis_is_never_missing_beside_its_declarers() {
    let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") else { return };
    let namespace = format!("declarers-{}", std::process::id());
    let open = async || {
        let options =
            RedisOptions::new(&url).and_then(|options| options.namespace(&namespace)).expect("valid");
        Arc::new(RedisStorage::open(options).await.expect("opens")) as Arc<dyn Storage>
    };
    race("redis", [open().await, open().await, open().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_behind_a_service_is_never_missing_beside_its_declarers() {
    race_over_a_service("sqlite:queue.db").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nor_is_one_in_memory_behind_a_service() {
    race_over_a_service("memory:").await;
}

async fn race_over_a_service(store: &str) {
    let served = Served::start_on(store);
    let open = async || served.open(PATIENT).await;
    race(&format!("service on {store}"), [open().await, open().await, open().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nor_is_it_where_the_service_stands_still_now_and_then() {
    let served = Served::start();
    let open = async || served.open(SILENCE_MAX).await;
    let handles = [open().await, open().await, open().await];
    let stands_still = async {
        loop {
            sleep(SILENCE_MAX).await;
            served.stop();
            sleep(2 * SILENCE_MAX).await;
            served.go_on();
        }
    };
    tokio::select! {
        () = race("service that stands still", handles) => {}
        () = stands_still => {}
    }
}
