//! Members that run together.

use crate::support::{Log, ended, secs, settle, spawn, within};
use queue_worker::runtime::{Group, GroupError, Member, member_fn};
use std::{convert::Infallible, io};
use tokio::{sync::Barrier, time::sleep};
use tokio_util::sync::CancellationToken;

/// A member that runs until it is stopped, and then takes a while to end.
pub(crate) fn lasting(log: &Log, name: &'static str, stopping_secs: u64) -> impl Member {
    let log = log.clone();
    member_fn(move |stop: CancellationToken| async move {
        log.push(format!("{name} starts"));
        stop.cancelled().await;
        log.push(format!("{name} is told"));
        sleep(secs(stopping_secs)).await;
        log.push(format!("{name} ends"));
        Ok::<_, Infallible>(())
    })
}

/// A member that fails after a while.
pub(crate) fn failing(after_secs: u64, message: &'static str) -> impl Member {
    member_fn(move |_| async move {
        sleep(secs(after_secs)).await;
        Err(io::Error::other(message))
    })
}

#[tokio::test(start_paused = true)]
async fn members_start_together() {
    let barrier = std::sync::Arc::new(Barrier::new(3));
    let mut group = Group::new();
    for name in ["a", "b", "c"] {
        let barrier = barrier.clone();
        group = group.add(
            name,
            member_fn(move |_| async move {
                barrier.wait().await;
                Ok::<_, Infallible>(())
            }),
        );
    }
    // Each member waits for the others, so the group ends only if all of them run at once.
    ended(spawn(group.run(CancellationToken::new()))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_member_that_returns_without_an_error_leaves_the_rest_running() {
    let log = Log::new();
    let (stop, short) = (CancellationToken::new(), log.clone());
    let group = Group::new().add("long", lasting(&log, "long", 0)).add(
        "short",
        member_fn(move |_| async move {
            short.push("short ends");
            Ok::<_, Infallible>(())
        }),
    );
    let run = spawn(group.run(stop.clone()));
    log.wait_for("short ends").await;
    sleep(secs(100)).await;
    assert!(!run.is_finished() && log.count("long is told") == 0);
    stop.cancel();
    ended(run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_group_ends_when_all_members_have() {
    let quick = || member_fn(|_| async { Ok::<_, Infallible>(()) });
    let group = Group::new().add("a", quick()).add("b", quick());
    ended(spawn(group.run(CancellationToken::new()))).await.unwrap();
    Group::new().run(CancellationToken::new()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_first_error_stops_all_and_is_answered() {
    let log = Log::new();
    let group = Group::new()
        .add("steady", lasting(&log, "steady", 1))
        .add("late", failing(9, "late"))
        .add("early", failing(5, "early"));
    let error = within(group.run(CancellationToken::new())).await.unwrap_err();
    assert_eq!(error.to_string(), "early failed: early");
    assert_eq!(log.times_of("steady ends"), [10_000], "told when the late one has failed too");
}

#[tokio::test(start_paused = true)]
async fn a_panic_becomes_an_error_and_stops_all() {
    let log = Log::new();
    let panics = member_fn(|_| async {
        sleep(secs(1)).await;
        panic!("oh no");
        #[expect(unreachable_code, reason = "it names the type")]
        Ok::<_, Infallible>(())
    });
    let group = Group::new().add("steady", lasting(&log, "steady", 0)).add("shaky", panics);
    let error = within(group.run(CancellationToken::new())).await.unwrap_err();
    assert!(
        matches!(&error, GroupError::Panicked { member, message } if member == "shaky" && message == "oh no")
    );
    assert_eq!(log.times_of("steady ends"), [1_000]);
}

#[tokio::test(start_paused = true)]
async fn an_error_while_stopping_is_answered_too() {
    let sore_loser = member_fn(|stop: CancellationToken| async move {
        stop.cancelled().await;
        Err(io::Error::other("cannot save"))
    });
    let stop = CancellationToken::new();
    stop.cancel();
    let error = Group::new().add("saver", sore_loser).run(stop).await.unwrap_err();
    assert_eq!(error.to_string(), "saver failed: cannot save");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_group_drops_its_members() {
    struct Told(Log);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.push("dropped");
        }
    }
    let log = Log::new();
    let told = Told(log.clone());
    let group = Group::new().add(
        "a",
        member_fn(move |_| async move {
            let _told = told;
            std::future::pending::<Result<(), Infallible>>().await
        }),
    );
    let run = spawn(group.run(CancellationToken::new()));
    settle().await;
    run.abort();
    log.wait_for("dropped").await;
}
