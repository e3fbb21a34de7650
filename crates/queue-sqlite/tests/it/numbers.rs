//! The numbers of jobs and queues end where the keys have no more room, and a walk through one
//! queue reads no other.

use crate::common::{Place, assert_sound, enqueue, job, queue};
use queue_core::{Certainty, ErrorKind, ListQuery, QueueName, Storage};
use rusqlite::Connection;

fn set(place: &Place, statement: &str) {
    Connection::open(place.path()).expect("it opens").execute(statement, []).expect("it runs");
}

#[tokio::test]
async fn a_file_that_has_numbered_all_its_jobs_refuses_more_and_writes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    set(&place, "UPDATE queue_store SET seq_mark = (1 << 40) - 3");
    enqueue(&store, vec![job("last")]).await;
    let error = store.enqueue(&queue(), vec![vec![job("a")], vec![job("b")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unsupported, Certainty::NotApplied));
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_file_that_has_numbered_all_its_queues_refuses_more_and_goes_on_with_those() {
    let place = Place::new();
    let store = place.open().await;
    set(&place, "INSERT INTO queue_name (queue, name) VALUES ((1 << 23) - 1, 'q')");
    enqueue(&store, vec![job("a")]).await;
    let other = QueueName::from_static("other");
    let error = store.enqueue(&other, vec![vec![job("b")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unsupported, Certainty::NotApplied));
    assert_eq!(store.counts(&other).await.unwrap().total(), 0);
    assert_eq!(store.list(ListQuery::all(queue(), 9)).await.unwrap().jobs.len(), 1);
    assert_sound(&store).await;
}
