//! Permits: a bounded number of starts in any period over all handles, also when their holders die
//! or stall.

use crate::support::{FOREVER, Fault, Probe, millis, spawn};
use futures_util::future::join_all;
use queue_core::{ErrorKind, Prune, PruneRequest, SeededRng, Storage};
use queue_memory::MemoryStorage;
use queue_worker::{Permit, Permits, PermitsBuilder, TokioClock};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

const PERIOD: Duration = Duration::from_secs(10);
const LEASE: Duration = Duration::from_secs(3);

fn store() -> MemoryStorage {
    MemoryStorage::with_clock(Arc::new(TokioClock::default()))
}

/// The builder of a handle of its own, as another process has.
fn builder(store: &MemoryStorage, starts: u32) -> (PermitsBuilder, Arc<Probe>) {
    let probe = Arc::new(Probe::new(store.another_handle()));
    let builder = Permits::builder(probe.clone(), "test", starts, PERIOD);
    (builder.lease(LEASE).rng(Arc::new(SeededRng::new(7))), probe)
}

fn handle(store: &MemoryStorage, starts: u32) -> Permits {
    builder(store, starts).0.build().expect("valid settings")
}

async fn acquired(permits: &Permits) -> Permit {
    timeout(FOREVER, permits.acquire()).await.expect("it comes").expect("the store works")
}

async fn start(permits: &Permits) {
    acquired(permits).await.start().await.expect("the lease runs");
}

#[tokio::test(start_paused = true)]
async fn any_period_has_as_many_starts_as_are_allowed_and_no_more_over_all_handles() {
    const STARTS: u32 = 5;
    const PERIODS: u32 = 20;
    let (store, begun) = (store(), Instant::now());
    let starters = (0..3_u64).map(|number| {
        let permits = handle(&store, STARTS);
        spawn(async move {
            let mut starts = Vec::new();
            while begun.elapsed() < PERIOD * PERIODS {
                let permit = acquired(&permits).await;
                // Some callers take their time, some give up.
                sleep(millis(number * 130)).await;
                if starts.len() % 4 == 3 {
                    drop(permit);
                    permits.acquire().await.expect("the store works").start().await.expect("the lease runs");
                } else {
                    permit.start().await.expect("the lease runs");
                }
                starts.push(begun.elapsed());
            }
            starts
        })
    });
    let mut starts: Vec<Duration> = join_all(starters)
        .await
        .into_iter()
        .flat_map(|starts| starts.expect("no assertion failed"))
        .collect();
    starts.sort_unstable();
    for window in starts.windows(STARTS as usize + 1) {
        assert!(window[STARTS as usize] >= window[0] + PERIOD, "{window:?}");
    }
    assert!(starts.len() >= (STARTS * (PERIODS - 2)) as usize, "{} starts", starts.len());
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_starts_at_the_very_moment_at_which_a_period_has_passed() {
    let (store, begun) = (store(), Instant::now());
    let (one, other) = (handle(&store, 2), handle(&store, 2));
    for round in 0..10 {
        start(&one).await;
        start(&other).await;
        assert_eq!(begun.elapsed(), PERIOD * round);
    }
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_dropped_goes_to_the_next_at_once() {
    let (store, begun) = (store(), Instant::now());
    let (one, other) = (handle(&store, 1), handle(&store, 1));
    for _ in 0..5 {
        drop(acquired(&one).await);
        drop(acquired(&other).await);
    }
    start(&one).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_permit_whose_holder_died_is_open_when_its_lease_has_lapsed_and_starts_nothing_any_more() {
    let (store, begun) = (store(), Instant::now());
    let (dead, alive) = (handle(&store, 1), handle(&store, 1));
    let held = acquired(&dead).await;
    start(&alive).await;
    assert_eq!(begun.elapsed(), LEASE, "nobody gave it back");
    let late = held.start().await.expect_err("it is another's");
    assert_eq!(late.kind(), ErrorKind::Conflict);
    start(&alive).await;
    assert_eq!(begun.elapsed(), LEASE + PERIOD, "the late start counts for nothing");
}

#[tokio::test(start_paused = true)]
async fn a_start_whose_answer_is_lost_counts_once() {
    let (store, begun) = (store(), Instant::now());
    let (builder, probe) = builder(&store, 1);
    let permits = builder.build().expect("valid settings");
    let permit = acquired(&permits).await;
    let mut lost = [Fault::LoseReply, Fault::None].into_iter();
    probe.script().on_settle = Some(Box::new(move |_| lost.next().unwrap_or(Fault::None)));
    permit.start().await.expect("it is asked again");
    assert!(begun.elapsed() < LEASE);
    let other = handle(&store, 1);
    start(&other).await;
    assert_eq!(begun.elapsed(), PERIOD, "counted from the first send");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_starts_nothing() {
    let store = store();
    let (builder, probe) = builder(&store, 1);
    let permits = builder.build().expect("valid settings");
    let permit = acquired(&permits).await;
    probe.script().on_settle = Some(Box::new(|_| Fault::Hang));
    let error = timeout(LEASE * 2, permit.start()).await.expect("it gives up").expect_err("nobody knows");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test(start_paused = true)]
async fn one_who_waits_no_more_holds_nothing() {
    let (store, begun) = (store(), Instant::now());
    let (builder, slow) = builder(&store, 1);
    let (one, other) = (builder.build().expect("valid settings"), handle(&store, 1));
    slow.script().on_claim = Some(Box::new(|| Fault::Late(millis(500))));
    assert!(timeout(millis(100), one.acquire()).await.is_err(), "its claim is under way");
    start(&other).await;
    assert!(begun.elapsed() <= millis(500), "what the claim brought went back when it came");
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_on_one_handle_are_served_in_their_order() {
    let permits = handle(&store(), 1);
    let begun = Instant::now();
    let waiting = (0..4_u32).map(|_| async {
        start(&permits).await;
        begun.elapsed()
    });
    let served = join_all(waiting).await;
    assert_eq!(served, (0..4_u32).map(|place| PERIOD * place).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn permits_that_are_too_many_are_retired_when_their_periods_are_over_and_missing_ones_made_at_once() {
    let (store, begun) = (store(), Instant::now());
    let permits = handle(&store, 3);
    for _ in 0..3 {
        start(&permits).await;
    }
    permits.resize(1).await.expect("the store works");
    permits.resize(3).await.expect("the store works");
    assert!(timeout(PERIOD / 2, permits.acquire()).await.is_err(), "back and forth allows nothing more");
    permits.resize(1).await.expect("the store works");
    for round in 1..=2 {
        start(&permits).await;
        assert_eq!(begun.elapsed(), PERIOD * round, "one in each period");
    }
    permits.resize(2).await.expect("the store works");
    start(&permits).await;
    assert_eq!(begun.elapsed(), PERIOD * 2, "another one at once");
    let counts = store.counts(permits.queue()).await.expect("it counts");
    assert_eq!(counts.total(), 2, "the others are gone");
}

#[tokio::test(start_paused = true)]
async fn permits_that_somebody_removed_are_made_again() {
    let store = store();
    let permits = handle(&store, 2);
    drop(acquired(&permits).await);
    let everything = PruneRequest { queue: permits.queue().clone(), what: Prune::Everything, limit: 10 };
    store.prune(everything).await.expect("it prunes");
    start(&permits).await;
    start(&permits).await;
}

#[test]
fn settings_that_allow_nothing_are_refused() {
    let build = |name: &str, starts, period| {
        Permits::builder(Arc::new(MemoryStorage::new()), name, starts, period).build().map(drop)
    };
    assert!(build("x", 1, PERIOD).is_ok());
    let century = Duration::from_secs(100 * 366 * 24 * 3600);
    let refused = [build("x", 0, PERIOD), build("x", 100_001, PERIOD), build("x", 1, Duration::ZERO)];
    for answer in refused.into_iter().chain([build("x", 1, century), build("", 1, PERIOD)]) {
        assert_eq!(answer.expect_err("it is refused").kind(), ErrorKind::Invalid);
    }
}
