//! What a schedule does when it is woken, call by call.

mod blind;
mod given;
mod time;

use crate::{support::id, traced::Lines};
use given::{Given, HOUR, MINUTE, hourly, of_hours, schedule_id};
use queue_core::{
    Capabilities, Detail, Span, State, Storage, StorageExt, StorageLayer,
    lifecycle::{Event, Policy, RESERVED_KIND_WAIT},
};
use queue_schedule::{Missed, Overlap, SPEC_VERSION, ScheduleSpec};
use std::sync::Arc;
use tracing::Level;

/// A schedule that makes up for every missed tick.
pub(super) fn making_up() -> ScheduleSpec {
    let mut spec = hourly();
    spec.missed = Missed::All { max: 100 };
    spec
}

fn never_two(overlap: Overlap) -> ScheduleSpec {
    let mut spec = making_up();
    spec.overlap = overlap;
    spec
}

#[tokio::test]
async fn a_wake_up_that_is_never_settled_enqueues_nothing() {
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.clock.advance(HOUR);
    for _ in 0..3 {
        let claimed = given.claim().await;
        given.handle(&claimed).await;
        given.lapse().await;
        assert_eq!(given.ticks().await, of_hours([]), "whoever held it died before the settle");
    }
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([1]));
}

#[tokio::test]
async fn a_wake_up_tells_subscribers_of_each_job_that_it_makes() {
    let (lines, _guard) = Lines::of(Level::DEBUG);
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.clock.advance(HOUR);
    given.wake().await;
    let line = lines.only("a schedule makes a job");
    let span =
        "create{queue=tests id=hourly@2026-01-01T01:00:00Z schedule=queue.schedule:hourly}: queue_worker:";
    assert!(line.contains(span), "{line}");
}

#[tokio::test]
async fn a_wake_up_that_is_repeated_finds_nothing_left_to_do() {
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.clock.advance(2 * HOUR);
    given.wake().await;
    let of_the_first = given.ticks().await;
    for _ in 0..3 {
        let Event::Snooze { then, .. } = given.wake().await else { panic!("there are ticks to come") };
        assert_eq!(then, []);
    }
    assert_eq!((of_the_first, given.ticks().await), (of_hours([1, 2]), of_hours([1, 2])));
}

/// Any caller may move the due time of a waiting job, and a paused schedule has its due time at the
/// end of time.
#[tokio::test]
async fn what_is_dealt_with_does_not_follow_from_when_the_schedule_was_due() {
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.clock.advance(HOUR + MINUTE);
    given.wake().await;
    given.change(Event::Reschedule { delay: Span::MAX }).await;
    given.clock.advance(3 * HOUR);
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([1, 2, 3, 4]), "woken three hours late, by hand");
}

#[tokio::test]
async fn ticks_are_skipped_for_as_long_as_the_last_that_ran_goes_on() {
    let given = Given::new();
    given.put(never_two(Overlap::Skip).to_bytes()).await;
    for hour in 1..=4 {
        given.clock.advance(HOUR);
        given.wake().await;
        assert_eq!(given.ticks().await, of_hours([1]), "in hour {hour} the first has not ended");
    }
    let first = id(&of_hours([1])[0]);
    given.store.change(&given.queue, &first, Event::Delete, &Policy::default()).await.expect("deleted");
    given.clock.advance(HOUR);
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([5]));
}

#[tokio::test]
async fn of_missed_ticks_that_must_not_overlap_one_is_enqueued() {
    for (overlap, hour) in [(Overlap::Skip, 1), (Overlap::CancelPrevious, 3)] {
        let given = Given::new();
        given.put(never_two(overlap).to_bytes()).await;
        given.clock.advance(3 * HOUR);
        given.wake().await;
        assert_eq!(given.ticks().await, of_hours([hour]), "{overlap:?}");
    }
}

#[tokio::test]
async fn the_job_of_the_tick_before_is_cancelled_where_the_schedule_asks_for_it() {
    let given = Given::new();
    given.put(never_two(Overlap::CancelPrevious).to_bytes()).await;
    for _ in 0..2 {
        given.clock.advance(HOUR);
        given.wake().await;
    }
    let read = async |hour| {
        let id = id(&of_hours([hour])[0]);
        let record = given.store.get_one(&given.queue, &id, Detail::Meta).await.expect("memory reads");
        record.expect("it is kept for a while").meta.state
    };
    assert_eq!((read(1).await, read(2).await), (State::Cancelled, State::Queued));
}

#[tokio::test]
async fn a_schedule_of_a_newer_version_waits_for_a_worker_that_can_read_it() {
    let given = Given::new();
    given.put(format!(r#"{{"version":{}}}"#, SPEC_VERSION + 1)).await;
    let event = given.wake().await;
    assert!(matches!(event, Event::PutBack { delay, .. } if delay <= RESERVED_KIND_WAIT), "{event:?}");
    let record = given.store.get_one(&given.queue, &schedule_id(), Detail::Meta).await.expect("memory reads");
    let meta = record.expect("it waits").meta;
    assert_eq!((meta.state, meta.failures), (State::Queued, 0));
}

#[tokio::test]
async fn what_no_version_can_read_fails_with_the_reason() {
    let given = Given::new();
    given.put("no schedule").await;
    given.wake().await;
    let record = given.store.get_one(&given.queue, &schedule_id(), Detail::Meta).await.expect("memory reads");
    let meta = record.expect("it is kept for people").meta;
    assert_eq!(meta.state, State::Failed);
    assert_eq!(meta.last_error.expect("a reason").name(), "Schedule");
}

/// A store that takes few jobs in one call.
#[derive(Debug)]
struct Small(Arc<dyn Storage>);

/// The schedule itself counts as one of them.
const BATCH_MAX: usize = 3;

impl StorageLayer for Small {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.0.capabilities();
        capabilities.limits.batch_max = BATCH_MAX;
        capabilities
    }
}

#[tokio::test]
async fn a_backlog_goes_in_parts_that_the_store_takes_and_none_is_lost_between_them() {
    let mut given = Given::new();
    given.store = Arc::new(Small(given.store));
    given.put(making_up().to_bytes()).await;
    given.clock.advance(5 * HOUR);
    for hours in [2, 4, 5] {
        given.wake().await;
        assert_eq!(given.ticks().await, of_hours(1..=hours));
    }
}
