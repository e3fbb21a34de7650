//! A clock of the machine that leaps ahead while the store is open.

use crate::common::{Place, claim, enqueue, job, queue};
use queue_core::{Clock, ClockLeap, Detail, ErrorKind, ManualClock, Span, Storage, StorageExt, Timestamp};
use queue_fs::FsStorage;
use std::{error::Error, sync::Arc, time::Duration};

const HOUR: Duration = Duration::from_secs(3600);

async fn open(place: &Place, clock: &Arc<ManualClock>) -> FsStorage {
    FsStorage::open(place.options().clock(clock.clone()).clock_step_max(HOUR)).await.expect("it opens")
}

/// Thirty days from now, by a clock that is forty days ahead.
fn leap(clock: &ManualClock) -> Timestamp {
    let right = clock.now();
    clock.set(right + Span::from_secs(40 * 86_400));
    right
}

#[tokio::test]
async fn a_clock_that_leaps_is_refused_before_anything_is_written_and_the_store_goes_on() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let store = open(&place, &clock).await;
    let mut delayed = job("in a month");
    delayed.delay = Span::from_secs(30 * 86_400);
    enqueue(&store, vec![delayed]).await;

    let right = leap(&clock);
    let refused = store.enqueue(&queue(), vec![vec![job("b")]]).await.expect_err("the clock is wrong");
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let leapt = refused.source().and_then(|source| source.downcast_ref::<ClockLeap>()).expect("it says why");
    assert_eq!(leapt.by, Duration::from_secs(40 * 86_400));
    assert!(refused.to_string().contains("if it is wrong, set it"), "{refused}");
    store.counts(&queue()).await.expect_err("nor is its time told");

    clock.set(right);
    let counts = store.counts(&queue()).await.expect("it counts");
    assert_eq!((counts.now, counts.clock, counts.total()), (right, right, 1));
    assert!(claim(&store, 1).await.jobs.is_empty(), "the job waits for its month");
    enqueue(&store, vec![job("b")]).await;
    assert!(store.get_one(&queue(), &job("b").id, Detail::Meta).await.expect("it reads").is_some());
}

#[tokio::test]
async fn a_handle_that_opens_after_a_long_pause_takes_the_clock_as_it_is() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let first = open(&place, &clock).await;
    enqueue(&first, vec![job("a")]).await;
    first.close().await.expect("it closes");
    leap(&clock);
    let store = open(&place, &clock).await;
    enqueue(&store, vec![job("b")]).await;
    assert_eq!(store.counts(&queue()).await.expect("it counts").now, clock.now());
}

#[tokio::test]
async fn a_clock_that_stays_ahead_is_believed_after_five_minutes() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let store = open(&place, &clock).await;
    enqueue(&store, vec![job("a")]).await;
    leap(&clock);
    store.counts(&queue()).await.expect_err("it is doubted");
    clock.advance(Duration::from_secs(300));
    enqueue(&store, vec![job("b")]).await;
}
