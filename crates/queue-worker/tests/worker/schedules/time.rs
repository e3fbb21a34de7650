//! The clock that a schedule follows.

use super::{
    given::{Given, HOUR, MINUTE, START, hourly, hours_later, of_hours, schedule_id},
    making_up,
};
use queue_core::{Detail, Span, StorageExt, lifecycle::Event};

/// The clock of this machine is in another year.
#[tokio::test]
async fn ticks_go_by_the_clock_of_the_store_and_not_by_that_of_this_machine() {
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([]));
    given.clock.advance(2 * HOUR + MINUTE);
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([1, 2]));
}

/// One call by a machine whose clock was forty days ahead would silence the schedule for as long.
#[tokio::test]
async fn a_schedule_that_met_a_clock_far_ahead_goes_on_once_the_clock_is_right() {
    let given = Given::new();
    given.put(hourly().to_bytes()).await;
    given.clock.set(hours_later(40 * 24));
    given.wake().await;
    given.clock.set(hours_later(1));
    let Event::Snooze { delay, .. } = given.wake().await else { panic!("there are ticks to come") };
    assert!(delay.as_duration() <= HOUR, "it looks again in {delay:?}");
    given.clock.advance(HOUR);
    given.wake().await;
    given.clock.advance(HOUR);
    given.wake().await;
    assert_eq!(given.ticks().await[1..], of_hours([2, 3]), "beside that of the wrong clock");
}

/// Store time never goes back, so after such a step it is ahead of the calendar for a long while.
#[tokio::test]
async fn no_tick_comes_early_where_store_time_is_ahead_of_the_calendar() {
    let given = Given::new();
    given.clock.set(hours_later(10));
    given.put(making_up().to_bytes()).await;
    given.clock.set(START + Span::from_secs(1800));
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([]), "it is half past twelve at night");
    given.clock.advance(HOUR);
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([1]));
}

/// A wait in store time, which runs at 63/64, would end a minute after the tick of the next hour.
#[tokio::test]
async fn a_schedule_wakes_by_its_tick_where_store_time_runs_slow() {
    let given = Given::new();
    given.clock.set(hours_later(10));
    given.put(hourly().to_bytes()).await;
    given.clock.set(START);
    given.wake().await;
    let record = given.store.get_one(&given.queue, &schedule_id(), Detail::Meta).await.expect("memory reads");
    let due = record.expect("it waits").meta.run_at;
    given.clock.advance(HOUR);
    let read = given.store.get(&given.queue, &[schedule_id()], Detail::Meta).await.expect("memory reads");
    assert!(
        read.now >= due,
        "the tick is here, and the schedule is due {} later",
        due.since(read.now).as_secs()
    );
    assert!(hours_later(11).since(due) < 2 * MINUTE, "nor much too early: {due}");
}

#[tokio::test]
async fn a_clock_that_is_put_back_brings_no_tick_again_and_the_next_in_its_time() {
    let given = Given::new();
    given.put(making_up().to_bytes()).await;
    given.clock.advance(3 * HOUR);
    given.wake().await;
    given.clock.set(hours_later(2));
    for _ in 0..2 {
        let Event::Snooze { then, .. } = given.wake().await else { panic!("there are ticks to come") };
        assert_eq!(then, []);
        given.clock.advance(HOUR);
    }
    given.wake().await;
    assert_eq!(given.ticks().await, of_hours([1, 2, 3, 4]));
}
