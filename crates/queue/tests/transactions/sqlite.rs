//! The test on SQLite.

use crate::killed::{CHILD, TURN, check, run_and_kill, say_ended, wanted};
use queue::{
    Queue, Settled, SqliteOptions, SqliteStorage,
    rusqlite::{Connection, Result, Transaction, TransactionBehavior},
    worker::{Context, JobError, Router},
};
use std::{path::Path, sync::Arc, time::Duration};

const TEST: &str = "sqlite::data_and_jobs_agree_whenever_the_process_is_killed";
/// Longer than a handler takes, and short enough that a killed process's jobs come back soon.
const LEASE: Duration = Duration::from_millis(500);

fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("it opens");
    connection.busy_timeout(Duration::from_secs(30)).expect("it is set");
    connection
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

async fn open(path: &Path) -> Queue<u64> {
    let storage = SqliteStorage::open(SqliteOptions::new(path)).await.expect("it opens");
    let options = queue::JobOptions::new().unlimited_stalls().unlimited_attempts();
    Queue::builder(Arc::new(storage), "charges").options(options).lease(LEASE).build().expect("valid")
}

#[test]
fn data_and_jobs_agree_whenever_the_process_is_killed() {
    if let Some(path) = std::env::var_os(CHILD) {
        return child(Path::new(&path));
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("app.db");
    let tables = "PRAGMA journal_mode = WAL; CREATE TABLE made (id TEXT NOT NULL); CREATE TABLE charged (id TEXT NOT NULL)";
    connect(&path).execute_batch(tables).expect("they are made");
    let (mut ended, mut turn) = (0, 0);
    while ended < wanted() {
        ended += run_and_kill(TEST, path.to_str().expect("UTF-8"), turn, |_| {});
        turn += 1;
        after_a_kill(&path);
    }
    println!("{ended} transactions ended, {turn} kills");
}

#[tokio::main(flavor = "current_thread")]
async fn after_a_kill(path: &Path) {
    let connection = connect(path);
    let ids = |table: &str| -> Vec<String> {
        let mut select = connection.prepare(&format!("SELECT id FROM {table}")).expect("it is there");
        select.query_map([], |row| row.get(0)).expect("it reads").collect::<Result<_>>().expect("it reads")
    };
    check(&open(path).await, ids("made"), ids("charged")).await;
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn child(path: &Path) {
    let charges = open(path).await;
    let (queue, path_of_worker) = (charges.clone(), path.to_owned());
    let charge = move |_: u64, job: Context| {
        // The first transaction rolls back, the second commits.
        for commits in [false, true] {
            charge(&queue, &path_of_worker, &job, commits).map_err(JobError::from)?;
        }
        Ok(())
    };
    let router = Router::new(()).handle_blocking("default", charge).expect("valid");
    let worker = charges.worker(router).concurrency(2).build().expect("valid");
    let (producer, path) = (charges.clone(), path.to_owned());
    let producing = tokio::task::spawn_blocking(move || produce(&producer, &path));
    worker.run().await;
    producing.await.expect("it goes on until it is killed");
}

fn charge(
    queue: &Queue<u64>,
    path: &Path,
    job: &Context,
    commits: bool,
) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = connect(path);
    let transaction = begin(&mut connection)?;
    transaction.execute("INSERT INTO charged (id) VALUES (?1)", [job.meta().id.as_str()])?;
    let settled = queue.complete_in(&transaction, job, &())?;
    if settled == Settled::Done && commits {
        transaction.commit()?;
    } else {
        transaction.rollback()?;
    }
    say_ended();
    Ok(())
}

fn produce(queue: &Queue<u64>, path: &Path) {
    let turn = std::env::var(TURN).expect("the parent says it");
    let mut connection = connect(path);
    for n in 0.. {
        let transaction = begin(&mut connection).expect("it begins");
        let id = format!("{turn}-{n}");
        transaction.execute("INSERT INTO made (id) VALUES (?1)", [&id]).expect("it writes");
        let accepted = queue.enqueue_in(&transaction, id.as_str(), n).expect("it enqueues");
        assert!(accepted.is_new());
        if n.is_multiple_of(2) { transaction.commit() } else { transaction.rollback() }.expect("it ends");
        say_ended();
    }
}
