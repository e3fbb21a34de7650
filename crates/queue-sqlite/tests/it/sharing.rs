//! Several handles on one file. A second handle has its own threads and connections, so to the
//! first one it is another process.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request};
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    Changed, Hint, Interest, ManualClock, QueueName, Span, Storage, StorageExt, Timestamp, lifecycle::Policy,
};
use queue_sqlite::SqliteStorage;
use std::{sync::Arc, time::Duration};

/// Longer than any test takes: polling must not be what brings a hint.
const NEVER: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_write_of_another_process_arrives_by_file_notification() {
    let place = Place::new();
    let store = SqliteStorage::open(place.options().poll_interval(NEVER)).await.unwrap();
    let other = place.open().await;
    let mut hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
    enqueue(&other, vec![job("a")]).await;
    assert_eq!(hints.next().await, Some(Hint::Wake));
}

#[tokio::test]
async fn own_writes_are_hinted_at_directly_and_not_taken_for_those_of_others() {
    let place = Place::new();
    let store = place.open().await;
    let mut hints = store.subscribe(&queue(), Interest::All).await.unwrap();
    for n in 0..50 {
        enqueue(&store, vec![job(&n.to_string())]).await;
        assert!(matches!(hints.next().now_or_never().flatten(), Some(Hint::Job(_))), "job {n}");
    }
    // The next hint is of another write, so none came before it.
    let other = place.open().await;
    enqueue(&other, vec![job("other")]).await;
    assert_eq!(hints.next().await, Some(Hint::Missed));
}

#[tokio::test]
async fn a_handle_whose_clock_is_behind_follows_the_time_of_the_file() {
    let place = Place::new();
    let (ahead, behind) = (Arc::new(ManualClock::default()), Arc::new(ManualClock::default()));
    ahead.advance(Duration::from_secs(10));
    let store = SqliteStorage::open(place.options().clock(ahead)).await.unwrap();
    let other = SqliteStorage::open(place.options().clock(behind.clone())).await.unwrap();
    let first = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap().now;
    assert_eq!(other.enqueue(&queue(), vec![vec![job("b")]]).await.unwrap().now, first);
    behind.set(Timestamp::from_millis(0));
    assert_eq!(other.counts(&queue()).await.unwrap().now, first);
}

#[tokio::test]
async fn a_claim_whose_caller_is_gone_before_its_turn_leases_nothing() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    // A write transaction held elsewhere keeps the writer waiting until the caller has left.
    let lock = rusqlite::Connection::open(place.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let queue = queue();
    let mut enqueue_first = Box::pin(store.enqueue(&queue, vec![vec![job("b")]]));
    assert!((&mut enqueue_first).now_or_never().is_none());
    let mut abandoned = Box::pin(store.claim(request(1, Span::from_secs(30))));
    assert!((&mut abandoned).now_or_never().is_none());
    drop(abandoned);
    lock.execute_batch("COMMIT").unwrap();
    enqueue_first.await.unwrap();
    assert_eq!(claim(&store, 10).await.jobs.len(), 2);
}

/// Loads the copy into the file within a transaction, as tools that restore a backup do.
const LOAD: &str = "
    ATTACH 'COPY' AS copy;
    BEGIN IMMEDIATE;
    DELETE FROM queue_job; INSERT INTO queue_job SELECT * FROM copy.queue_job;
    DELETE FROM queue_life; INSERT INTO queue_life SELECT * FROM copy.queue_life;
    DELETE FROM queue_ready; INSERT INTO queue_ready SELECT * FROM copy.queue_ready;
    DELETE FROM queue_name; INSERT INTO queue_name SELECT * FROM copy.queue_name;
    DELETE FROM queue_count; INSERT INTO queue_count SELECT * FROM copy.queue_count;
    DELETE FROM queue_store; INSERT INTO queue_store SELECT * FROM copy.queue_store;
    COMMIT;
    DETACH copy;";
/// Changes the schema, as a tool that recreates the tables does.
const CHANGE_SCHEMA: &str = "CREATE TABLE passing (mine); DROP TABLE passing;";

#[tokio::test]
async fn a_backup_that_is_loaded_into_the_open_file_is_taken_as_it_is() {
    // The others write once, or so often that the number of commits shows nothing.
    for (others, passing) in [(1, ""), (9, CHANGE_SCHEMA)] {
        let place = Place::new();
        let (store, other) = (place.open().await, place.open().await);
        let copy = place.directory.path().join("copy.db");
        let file = rusqlite::Connection::open(place.path()).unwrap();
        file.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
        for id in ["a", "b", "c"] {
            enqueue(&store, vec![job(id)]).await;
        }
        let lost = claim(&store, 1).await.jobs.remove(0);
        file.execute_batch(&LOAD.replace("COPY", copy.to_str().unwrap())).unwrap();
        file.execute_batch(passing).unwrap();
        // Queue numbers and seqs are assigned a second time.
        let name = QueueName::from_static("other");
        for n in 0..others {
            other.enqueue(&name, vec![vec![job(&n.to_string())]]).await.unwrap();
        }
        let policy = Policy::default();
        let answer = store.settle(&lost.record.meta, complete(lost.token), &policy).await.unwrap();
        assert_eq!(answer, Changed::Missing);
        enqueue(&store, vec![job("new")]).await;
        assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
        assert_eq!(store.counts(&name).await.unwrap().total(), others);
        assert_sound(&store).await;
    }
}
