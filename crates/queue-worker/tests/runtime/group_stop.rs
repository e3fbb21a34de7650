//! How a group stops.

use crate::{
    group::{failing, lasting},
    support::{Log, millis, secs, within},
};
use queue_worker::runtime::{Group, GroupError, Member, member_fn};
use std::convert::Infallible;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

fn stopped() -> CancellationToken {
    let stop = CancellationToken::new();
    stop.cancel();
    stop
}

/// A member that never ends by itself.
fn stubborn() -> impl Member {
    member_fn(|_| std::future::pending::<Result<(), Infallible>>())
}

fn overdue(error: GroupError) -> Vec<String> {
    let GroupError::Overdue { members } = error else { panic!("{error}") };
    members
}

#[tokio::test(start_paused = true)]
async fn members_stop_in_reverse_order_each_after_the_one_before_has_ended() {
    let log = Log::new();
    let mut group = Group::new();
    for name in ["a", "b", "c"] {
        group = group.add(name, lasting(&log, name, 2));
    }
    within(group.run(stopped())).await.unwrap();
    let stops: Vec<_> = log.trace().into_iter().filter(|(_, line)| !line.ends_with("starts")).collect();
    let expected = [
        (0, "c is told"),
        (2_000, "c ends"),
        (2_000, "b is told"),
        (4_000, "b ends"),
        (4_000, "a is told"),
        (6_000, "a ends"),
    ];
    assert_eq!(stops, expected.map(|(at, line)| (at, line.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn the_stop_deadline_is_shared_and_not_one_for_each_member() {
    let (log, began) = (Log::new(), Instant::now());
    let mut group = Group::new().stop_deadline(secs(5));
    for name in ["a", "b", "c", "d"] {
        group = group.add(name, lasting(&log, name, 2));
    }
    let error = within(group.run(stopped())).await.unwrap_err();
    assert_eq!((began.elapsed(), overdue(error)), (secs(5), vec!["a".to_owned(), "b".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn a_member_that_does_not_end_is_dropped_at_the_deadline_and_named() {
    let (log, began) = (Log::new(), Instant::now());
    let group = Group::new()
        .add("quick", lasting(&log, "quick", 0))
        .add("stubborn", stubborn())
        .stop_deadline(secs(5));
    let error = within(group.run(stopped())).await.unwrap_err();
    assert_eq!((began.elapsed(), overdue(error)), (secs(5), vec!["stubborn".to_owned()]));
    assert_eq!(log.times_of("quick is told"), [5_000], "those behind it are told before the end");
}

#[tokio::test(start_paused = true)]
async fn the_first_error_goes_before_those_overdue() {
    let group = Group::new().add("stubborn", stubborn()).add("bad", failing(0, "bad")).stop_deadline(secs(1));
    let error = within(group.run(CancellationToken::new())).await.unwrap_err();
    assert_eq!(error.to_string(), "bad failed: bad");
}

#[tokio::test(start_paused = true)]
async fn a_member_that_ended_before_holds_up_nothing() {
    let (log, began) = (Log::new(), Instant::now());
    let stop = CancellationToken::new();
    let group = Group::new()
        .add("a", lasting(&log, "a", 1))
        .add("gone", member_fn(|_| async { Ok::<_, Infallible>(()) }))
        .add("c", lasting(&log, "c", 1));
    let (ended, ()) = tokio::join!(within(group.run(stop.clone())), async {
        sleep(millis(500)).await;
        stop.cancel();
    });
    ended.unwrap();
    assert_eq!(began.elapsed(), millis(2_500));
}
