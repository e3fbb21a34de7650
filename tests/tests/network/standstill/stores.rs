//! The stores, and what holds each of them.

use super::{BUSY, outlast};
use crate::{served::Served, server};
use queue::{
    FsOptions, FsStorage, PostgresOptions, PostgresStorage, RedisOptions, RedisStorage, SqliteOptions,
    SqliteStorage,
    rusqlite::Connection,
    sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction, raw_sql},
};
use queue_e2e::{CommandDirectory, Process};
use queue_testkit::proxy::lasting_address;
use rustix::process::Signal;
use std::{fs::File, path::Path, sync::Arc, time::Duration};
use tokio::time::sleep;

/// Another program that has its turn to write until it lets go.
pub(super) fn hold_sqlite(file: &Path) -> Connection {
    let program = Connection::open(file).expect("opens");
    program.execute_batch("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").expect("it is its turn");
    program
}

pub(super) fn let_go_of_sqlite(program: &Connection) {
    program.execute_batch("ROLLBACK").expect("ends");
}

/// Another program that has its turn to write until its file is closed.
pub(super) fn hold_files(directory: &Path) -> File {
    let lock = File::open(directory.join("LOCK")).expect("it is there");
    lock.lock().expect("it is its turn");
    lock
}

/// Another program that has locked the leases until its transaction ends.
pub(super) async fn hold_postgres(pool: &PgPool, schema: &str) -> Transaction<'static, Postgres> {
    let mut transaction = pool.begin().await.expect("begins");
    let lock = format!("LOCK TABLE {schema}.lease");
    raw_sql(AssertSqlSafe(lock)).execute(&mut *transaction).await.expect("it is its turn");
    transaction
}

pub(super) async fn drop_schema(pool: &PgPool, schema: &str) {
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    raw_sql(AssertSqlSafe(drop)).execute(pool).await.expect("it is removed");
}

/// A Redis server of its own, since others use that of the environment, and its URL. It ends with
/// the directory and the process.
pub(super) fn own_redis() -> Option<(CommandDirectory, Process, String)> {
    server::url("redis", "QUEUE_TEST_REDIS_URL")?;
    let place = CommandDirectory::new("redis-server");
    let port = lasting_address().expect("a free port").port().to_string();
    let process = place.start(&["--bind", "127.0.0.1", "--port", &port, "--save", ""]);
    Some((place, process, format!("redis://127.0.0.1:{port}")))
}

/// A process that stands still until it is let go, while its sockets take connections.
pub(super) fn stop(process: &Process) -> &Process {
    process.suspend();
    process
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_another_program_held_sqlite_is_not_done_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("jobs.db");
    let store = SqliteStorage::open(SqliteOptions::new(&file).busy_timeout(BUSY)).await.expect("opens");
    let hold = async || hold_sqlite(&file);
    outlast(Arc::new(store), hold, async |program| let_go_of_sqlite(&program)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_another_program_held_the_files_is_not_done_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = FsStorage::open(FsOptions::new(directory.path()).busy_timeout(BUSY)).await.expect("opens");
    let hold = async || hold_files(directory.path());
    outlast(Arc::new(store), hold, async |lock| lock.unlock().expect("ends")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_a_table_of_postgres_was_locked_is_not_done_again() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    let schema = format!("still_{}", std::process::id());
    let options = PostgresOptions::new(&url).and_then(|options| options.schema(&schema)).expect("valid");
    let store = PostgresStorage::open(options.call_timeout(BUSY)).await.expect("opens");
    let pool = PgPool::connect(&url).await.expect("connects");
    let hold = async || hold_postgres(&pool, &schema).await;
    let let_go = async |held: Transaction<'_, Postgres>| held.rollback().await.expect("ends");
    outlast(Arc::new(store), hold, let_go).await;
    drop_schema(&pool, &schema).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_redis_stood_still_is_not_done_again() {
    let Some((_place, process, url)) = own_redis() else { return };
    let options = RedisOptions::new(&url).expect("valid");
    let options = options.response_timeout(BUSY).connect_timeout(BUSY);
    let store = loop {
        match RedisStorage::open(options.clone()).await {
            Ok(store) => break store,
            Err(error) if error.is_transient() => sleep(Duration::from_millis(20)).await,
            Err(error) => panic!("{error}: {}", process.stderr()),
        }
    };
    outlast(Arc::new(store), async || stop(&process), async |process| process.signal(Signal::CONT)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_a_service_stood_still_is_not_done_again() {
    let served = Served::start();
    let store = served.open(BUSY).await;
    outlast(store, async || served.stop(), async |()| served.go_on()).await;
}
