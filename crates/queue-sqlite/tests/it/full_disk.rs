//! A disk that fills up: the write fails, says so, and leaves the store as it was.

use crate::common::{Place, assert_sound, enqueue, job, queue, text};
use queue_core::{Certainty, ErrorKind, Prune, PruneRequest, Storage};
use queue_sqlite::SqliteStorage;

/// Enough for the tables and little more.
const PAGES: u32 = 60;

#[tokio::test]
async fn a_full_disk_is_told_as_unavailable_and_changes_nothing() {
    let place = Place::new();
    let store = SqliteStorage::open(place.options().pages_max(PAGES)).await.unwrap();
    enqueue(&store, vec![job("small")]).await;
    let mut large = job("large");
    large.payload = queue_core::Payload::new(vec![0; 500_000], text("").content_type);
    let error = store.enqueue(&queue(), vec![vec![large]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert!(error.message().contains("full"), "{error}");
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
    assert_sound(&store).await;
    let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: 10 };
    assert_eq!(store.prune(everything).await.unwrap(), 1, "removing still works");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_calls_that_share_a_transaction_those_that_fit_succeed() {
    let place = Place::new();
    let store = SqliteStorage::open(place.options().pages_max(PAGES)).await.unwrap();
    // A lock held elsewhere makes all calls wait, so that they share one transaction.
    let lock = rusqlite::Connection::open(place.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut large = job("large");
    large.payload = queue_core::Payload::new(vec![0; 500_000], text("").content_type);
    let name = queue();
    let call = |job| store.enqueue(&name, vec![vec![job]]);
    let release = async { lock.execute_batch("COMMIT").expect("it lets go") };
    let (first, large, last, ()) = tokio::join!(call(job("first")), call(large), call(job("last")), release);
    assert!(first.is_ok() && last.is_ok());
    assert_eq!(large.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 2);
    assert_sound(&store).await;
}
