//! A clock of the machine that leaps ahead under a store in memory.

use queue_core::{Clock, ClockBound, ClockLeap, ErrorKind, ManualClock, Span, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::short::{claim, enqueue, job, queue};
use std::{error::Error, sync::Arc};

#[tokio::test]
async fn a_clock_that_leaps_is_refused_before_anything_is_written_and_the_store_goes_on() {
    let clock = Arc::new(ManualClock::default());
    let store = MemoryStorage::bounded(clock.clone(), ClockBound::default());
    let mut delayed = job("in a month");
    delayed.delay = Span::from_secs(30 * 86_400);
    enqueue(&store, vec![delayed]).await;

    let right = clock.now();
    clock.set(right + Span::from_secs(40 * 86_400));
    let refused = store.enqueue(&queue(), vec![vec![job("b")]]).await.expect_err("the clock is wrong");
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    assert!(refused.source().is_some_and(<dyn Error>::is::<ClockLeap>), "{refused:?}");

    clock.set(right);
    let counts = store.counts(&queue()).await.expect("it counts");
    assert_eq!((counts.now, counts.clock, counts.total()), (right, right, 1));
    assert!(claim(&store, 1).await.jobs.is_empty(), "the job waits for its month");
    enqueue(&store, vec![job("b")]).await;
}
