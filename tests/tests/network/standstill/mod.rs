//! Stores that stand still under a worker for longer than its leases last: what its handlers have
//! done by then is not done again. The tests of Redis have the same, with a server of their own to
//! stop.
//!
//! `QUEUE_TEST_STILL_SECS=45` holds the stores for so long, instead of 4 seconds.

use super::server;
use queue::{
    FsOptions, FsStorage, PostgresOptions, PostgresStorage, Queue, SqliteOptions, SqliteStorage, State,
    Storage,
    rusqlite::Connection,
    sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction, raw_sql},
    worker::{Context, Router},
};
use std::{env, fs::File, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet, time::sleep};

const JOBS: u64 = 40;
const CONCURRENCY: usize = 4;
const STILL_SECS: &str = "QUEUE_TEST_STILL_SECS";
/// Writes that wait for longer than this are refused, so that outcomes are sent again.
const BUSY: Duration = Duration::from_millis(300);

/// How long a store stands still.
fn still() -> Duration {
    let seconds = env::var(STILL_SECS).map_or(4, |text| text.parse().expect("a number of seconds"));
    Duration::from_secs(seconds)
}

/// Signals that a handler has started, and lets it end.
type Gates = (Arc<Semaphore>, Arc<Semaphore>);

/// Has a worker start jobs, holds the store, lets the handlers end, and lets the store go on later.
async fn outlast<H>(store: Arc<dyn Storage>, hold: impl AsyncFnOnce() -> H, let_go: impl AsyncFnOnce(H)) {
    let queue: Queue<u64, u64> = Queue::new(store.clone(), "still").expect("valid");
    for n in 0..JOBS {
        queue.enqueue(n.to_string(), n).await.expect("stored");
    }
    let gates = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let router = Router::new(gates.clone()).handle("default", |n: u64, context: Context<Gates>| async move {
        context.state().0.add_permits(1);
        context.state().1.acquire().await?.forget();
        Ok(n)
    });
    let worker = queue.worker(router.expect("one handler")).concurrency(CONCURRENCY).lease(still() / 4);
    let worker = worker.grace(Duration::ZERO).rescue_interval(Duration::from_millis(20)).build();
    let worker = worker.expect("valid settings");
    let (stop, mut running) = (worker.stop_token(), JoinSet::new());
    running.spawn(worker.run());
    let (started, may_end) = gates;
    started.acquire_many(4).await.expect("it is open").forget();
    let kept = hold().await;
    may_end.add_permits(100);
    sleep(still()).await;
    let_go(kept).await;
    while queue.counts().await.expect("counts").of(State::Completed) < JOBS {
        sleep(Duration::from_millis(20)).await;
    }
    stop.cancel();
    let report = running.join_next().await.expect("it runs").expect("it does not panic");
    assert_eq!((report.started, report.completed, report.rescued), (JOBS, JOBS, 0), "{report:?}");
    assert_eq!(store.verify().await.expect("verifies"), Vec::<String>::new());
    store.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_another_program_held_sqlite_is_not_done_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("jobs.db");
    let store = SqliteStorage::open(SqliteOptions::new(&file).busy_timeout(BUSY)).await.expect("opens");
    let hold = async || {
        let program = Connection::open(&file).expect("opens");
        program.execute_batch("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").expect("it is its turn");
        program
    };
    outlast(Arc::new(store), hold, async |program| program.execute_batch("ROLLBACK").expect("ends")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_another_program_held_the_files_is_not_done_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = FsStorage::open(FsOptions::new(directory.path()).busy_timeout(BUSY)).await.expect("opens");
    let hold = async || {
        let lock = File::open(directory.path().join("LOCK")).expect("it is there");
        lock.lock().expect("it is its turn");
        lock
    };
    outlast(Arc::new(store), hold, async |lock| lock.unlock().expect("ends")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_while_a_table_of_postgres_was_locked_is_not_done_again() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    let schema = format!("still_{}", std::process::id());
    let options = PostgresOptions::new(&url).and_then(|options| options.schema(&schema)).expect("valid");
    let store = PostgresStorage::open(options.call_timeout(BUSY)).await.expect("opens");
    let pool = PgPool::connect(&url).await.expect("connects");
    let hold = async || {
        let mut transaction = pool.begin().await.expect("begins");
        let lock = format!("LOCK TABLE {schema}.lease");
        raw_sql(AssertSqlSafe(lock)).execute(&mut *transaction).await.expect("it is its turn");
        transaction
    };
    let let_go = async |held: Transaction<'_, Postgres>| held.rollback().await.expect("ends");
    outlast(Arc::new(store), hold, let_go).await;
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    raw_sql(AssertSqlSafe(drop)).execute(&pool).await.expect("it is removed");
}
