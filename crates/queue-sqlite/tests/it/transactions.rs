//! The application's own connection: which ones are refused, and what a call leaves in a
//! transaction that continues.

use crate::common::{Place, assert_sound, claim, enqueue, job, queue};
use futures_util::StreamExt;
use queue_core::{Certainty, Counts, ErrorKind, Interest, Storage};
use queue_sqlite::{
    SqliteStorage,
    rusqlite::{Connection, TransactionBehavior},
};

fn connect(place: &Place) -> Connection {
    Connection::open(place.path()).expect("the file opens")
}

async fn total(store: &SqliteStorage) -> u64 {
    store.counts(&queue()).await.as_ref().map(Counts::total).expect("it counts")
}

/// The message of a refusal that left nothing behind.
async fn refused(store: &SqliteStorage, connection: &Connection) -> String {
    let before = total(store).await;
    let error = store.enqueue_in(connection, &queue(), &[job("a")]).expect_err("it is refused");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied), "{error}");
    if !connection.is_autocommit() {
        connection.execute_batch("COMMIT").expect("the transaction goes on");
    }
    assert_eq!(total(store).await, before);
    error.message().to_owned()
}

#[tokio::test]
async fn a_connection_without_the_write_lock_is_refused() {
    let place = Place::new();
    let store = place.open().await;
    let connection = connect(&place);
    assert!(refused(&store, &connection).await.contains("IMMEDIATE"), "without a transaction");
    connection.execute_batch("BEGIN; SELECT count(*) FROM queue_job").expect("it reads");
    assert!(refused(&store, &connection).await.contains("IMMEDIATE"), "in one that reads");
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_transaction_that_got_the_write_lock_by_writing_is_joined() {
    let place = Place::new();
    let store = place.open().await;
    let connection = connect(&place);
    connection.execute_batch("BEGIN; CREATE TABLE person (id INTEGER)").expect("it writes");
    store.enqueue_in(&connection, &queue(), &[job("a")]).expect("it enqueues");
    connection.execute_batch("COMMIT").expect("it commits");
    assert_eq!(claim(&store, 9).await.jobs.len(), 1);
}

#[tokio::test]
async fn a_connection_to_another_file_is_refused_even_if_the_queues_is_attached() {
    let (place, other) = (Place::new(), Place::new());
    let (store, _other_store) = (place.open().await, other.open().await);
    let connection = connect(&other);
    connection.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    assert!(refused(&store, &connection).await.contains("another file"));
    let attach = format!("ATTACH '{}' AS jobs; BEGIN IMMEDIATE", place.path().display());
    connection.execute_batch(&attach).expect("it begins");
    assert!(refused(&store, &connection).await.contains("another file"));
    let memory = Connection::open_in_memory().expect("it opens");
    memory.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    assert!(refused(&store, &memory).await.contains("another file"));
}

#[cfg(unix)]
#[tokio::test]
async fn the_same_file_by_another_path_is_joined() {
    let place = Place::new();
    let store = place.open().await;
    let link = place.directory.path().join("link.db");
    std::os::unix::fs::symlink(place.path(), &link).expect("it links");
    let connection = Connection::open(link).expect("it opens");
    connection.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    store.enqueue_in(&connection, &queue(), &[job("a")]).expect("it enqueues");
    connection.execute_batch("COMMIT").expect("it commits");
    assert_eq!(total(&store).await, 1);
}

#[tokio::test]
async fn a_temporary_table_that_would_be_written_instead_is_refused() {
    let place = Place::new();
    let store = place.open().await;
    let connection = connect(&place);
    connection.execute_batch("CREATE TEMP TABLE Queue_Job (seq); BEGIN IMMEDIATE").expect("it begins");
    assert!(refused(&store, &connection).await.contains("temporary"));
}

#[tokio::test]
async fn a_closed_handle_joins_nothing() {
    let place = Place::new();
    let store = place.open().await;
    let connection = connect(&place);
    connection.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    store.close().await.expect("it closes");
    let error = store.enqueue_in(&connection, &queue(), &[job("a")]).expect_err("it is closed");
    assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
}

#[tokio::test]
async fn a_call_that_fails_half_way_leaves_nothing_in_a_transaction_that_goes_on() {
    let place = Place::new();
    let store = place.open().await;
    let mut connection = connect(&place);
    // The job's row is written before its entry in the ready index.
    let fails = "CREATE TEMP TRIGGER fails BEFORE INSERT ON main.queue_ready WHEN NEW.priority = 7
        BEGIN SELECT RAISE(FAIL, 'part of the test'); END";
    connection.execute_batch(fails).expect("it is made");
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("it begins");
    let jobs = [job("a"), job("b").with_priority(7)];
    store.enqueue_in(&transaction, &queue(), &jobs).expect_err("the trigger fails it");
    store.enqueue_in(&transaction, &queue(), &[job("c")]).expect("it enqueues");
    transaction.commit().expect("it commits");
    let held = claim(&store, 9).await.jobs;
    assert_eq!(held.iter().map(|held| held.record.meta.id.as_str()).collect::<Vec<_>>(), ["c"]);
    assert_sound(&store).await;
}

#[tokio::test]
async fn the_applications_own_rows_and_jobs_commit_together_and_its_settings_stay() {
    let place = Place::new();
    let store = place.open().await;
    let mut connection = connect(&place);
    let settings =
        "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA case_sensitive_like = ON;
        CREATE TABLE person (id INTEGER PRIMARY KEY, job INTEGER REFERENCES queue_job (key))";
    connection.execute_batch(settings).expect("it is made");
    connection.busy_timeout(std::time::Duration::from_millis(1_234)).expect("it is set");
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("it begins");
    store.enqueue_in(&transaction, &queue(), &[job("a")]).expect("it enqueues");
    let person = "INSERT INTO person (job) SELECT key FROM queue_job WHERE queue = 1 AND id = 'a'";
    transaction.execute(person, []).expect("it refers to the job");
    transaction.commit().expect("it commits");
    let timeout: i64 = connection.query_row("PRAGMA busy_timeout", [], |row| row.get(0)).expect("it is set");
    assert_eq!((timeout, total(&store).await), (1_234, 1));
}

#[tokio::test]
async fn a_commit_wakes_handles_of_other_programs() {
    let place = Place::new();
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, vec![job("known")]).await;
    claim(&store, 1).await;
    let mut hints = other.subscribe(&queue(), Interest::Wake).await.expect("it subscribes");
    let mut connection = connect(&place);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("it begins");
    store.enqueue_in(&transaction, &queue(), &[job("a")]).expect("it enqueues");
    transaction.commit().expect("it commits");
    while claim(&other, 1).await.jobs.is_empty() {
        hints.next().await.expect("the handle is open");
    }
}

#[tokio::test]
async fn what_waits_too_long_for_a_transaction_of_the_program_is_told_so_and_goes_on_afterwards() {
    let place = Place::new();
    let options = place.options().busy_timeout(std::time::Duration::from_millis(20));
    let store = SqliteStorage::open(options).await.expect("it opens");
    let connection = connect(&place);
    connection.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    store.enqueue_in(&connection, &queue(), &[job("a")]).expect("it enqueues");
    let error = store.enqueue(&queue(), vec![vec![job("b")]]).await.expect_err("the lock is taken");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert!(error.message().contains("a transaction of this one"), "{error}");
    connection.execute_batch("COMMIT").expect("it commits");
    enqueue(&store, vec![job("b")]).await;
    assert_eq!(claim(&store, 9).await.jobs.len(), 2);
}
