//! Several handles on one directory. A second handle has its own threads, files and state, so to
//! the first one it is another process.

use crate::common::{Place, claim, enqueue, job, queue, request};
use futures_util::{FutureExt, StreamExt};
use queue_core::{Hint, Interest, ManualClock, Span, Storage, Timestamp};
use queue_fs::FsStorage;
use std::{sync::Arc, time::Duration};

/// Longer than any test takes: polling must not be what brings a hint.
const NEVER: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_write_of_another_process_arrives_by_file_notification() {
    let place = Place::new();
    let store = FsStorage::open(place.options().poll_interval(NEVER)).await.unwrap();
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
async fn a_handle_whose_clock_is_behind_follows_the_time_of_the_journal() {
    let place = Place::new();
    let (ahead, behind) = (Arc::new(ManualClock::default()), Arc::new(ManualClock::default()));
    ahead.advance(Duration::from_secs(10));
    let store = FsStorage::open(place.options().clock(ahead)).await.unwrap();
    let other = FsStorage::open(place.options().clock(behind.clone())).await.unwrap();
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
    // A lock held elsewhere keeps the writer waiting until the caller has left.
    let lock = std::fs::File::open(place.path().join("LOCK")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let queue = queue();
    let mut enqueue_first = Box::pin(store.enqueue(&queue, vec![vec![job("b")]]));
    assert!((&mut enqueue_first).now_or_never().is_none());
    let mut abandoned = Box::pin(store.claim(request(1, Span::from_secs(30))));
    assert!((&mut abandoned).now_or_never().is_none());
    drop(abandoned);
    drop(lock);
    enqueue_first.await.unwrap();
    assert_eq!(claim(&store, 10).await.jobs.len(), 2);
}
