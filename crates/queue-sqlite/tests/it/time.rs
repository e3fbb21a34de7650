//! Store time of a file whose clock was ahead once, over several handles, which are like processes
//! to each other.

use crate::common::{Place, claim, enqueue, job, queue};
use queue_core::{Clock, ManualClock, Storage, Timestamp};
use queue_sqlite::SqliteStorage;
use std::{sync::Arc, time::Duration};

const DAY: Duration = Duration::from_secs(86_400);
/// In this much real time store time moves by one second less.
const BEHIND: Duration = Duration::from_secs(64);

async fn open(place: &Place, clock: &Arc<ManualClock>) -> SqliteStorage {
    SqliteStorage::open(place.options().clock(clock.clone())).await.expect("it opens")
}

/// A file that was written while the clock was a day ahead, and the clock, which is right again.
async fn after_a_day_ahead(place: &Place) -> Arc<ManualClock> {
    let clock = Arc::new(ManualClock::default());
    let right = clock.now();
    clock.advance(DAY);
    enqueue(&open(place, &clock).await, vec![job("a")]).await;
    clock.set(right);
    clock
}

async fn now(store: &SqliteStorage) -> Timestamp {
    store.counts(&queue()).await.expect("it counts").now
}

/// The marks in the file: the time, and the number of commits.
fn marks(place: &Place) -> (i64, i64) {
    let file = rusqlite::Connection::open(place.path()).expect("it is there");
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    file.query_row("SELECT time_mark, commits FROM queue_store", [], read).expect("it has marks")
}

#[tokio::test]
async fn time_goes_on_at_63_64_of_real_time_while_the_clock_is_behind() {
    let place = Place::new();
    let clock = after_a_day_ahead(&place).await;
    let store = open(&place, &clock).await;
    let before = now(&store).await;
    for minute in 1..=10 {
        clock.advance(BEHIND);
        assert_eq!(now(&store).await.since(before), Duration::from_secs(63 * minute));
    }
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!(counts.clock, clock.now());
    assert_eq!(counts.moment().lead() + Duration::from_secs(10), DAY);
}

#[tokio::test]
async fn a_claim_of_nothing_keeps_the_time_and_counts_as_no_commit() {
    let place = Place::new();
    let clock = after_a_day_ahead(&place).await;
    let (_, commits) = marks(&place);
    for _ in 0..3 {
        let store = open(&place, &clock).await;
        let before = now(&store).await;
        clock.advance(BEHIND);
        let claimed = claim(&store, 0).await;
        assert_eq!(claimed.now.since(before), Duration::from_secs(63));
        store.close().await.unwrap();
        assert_eq!(marks(&place), (claimed.now.as_millis(), commits));
    }
}

#[tokio::test]
async fn a_claim_of_nothing_writes_nothing_while_the_clock_rules() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let store = open(&place, &clock).await;
    enqueue(&store, vec![job("a")]).await;
    let before = marks(&place);
    clock.advance(DAY);
    assert_eq!(claim(&store, 0).await.now, clock.now());
    assert_eq!(marks(&place), before);
}
