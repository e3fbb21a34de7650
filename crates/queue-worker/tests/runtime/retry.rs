//! Backoff and retries.

use crate::support::{Log, millis, secs, within};
use queue_core::{RetryPolicy, SeededRng};
use queue_worker::runtime::retry::{Backoff, GiveUp, Retry, run};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

fn every_second() -> Backoff {
    Backoff::new(RetryPolicy::Fixed(Duration::from_secs(1)))
}

#[test]
fn waits_grow_to_the_cap_and_jitter_never_passes_it() {
    let policy =
        RetryPolicy::exponential(Duration::from_millis(100)).cap(Duration::from_millis(500)).jitter(0.5);
    let mut backoff = Backoff::new(policy).rng(Arc::new(SeededRng::new(3)));
    let waits: Vec<Duration> = (0..50).filter_map(|_| backoff.after_failure()).collect();
    assert_eq!(waits.len(), 50);
    for (wait, full) in waits.iter().zip([100, 200, 400].into_iter().chain(std::iter::repeat(500))) {
        assert!(*wait <= millis(full) && *wait >= millis(full / 2), "{wait:?} of {full}");
    }
    assert!(waits[3..].iter().any(|wait| *wait != waits[3]), "there is jitter");
}

#[test]
fn a_backoff_is_exhausted_after_the_last_attempt_and_stays_so_until_reset() {
    let mut backoff = every_second().attempts_max(3);
    assert_eq!([backoff.after_failure(), backoff.after_failure()], [Some(secs(1)); 2]);
    assert!(!backoff.is_exhausted());
    assert_eq!([backoff.after_failure(), backoff.after_failure()], [None; 2]);
    assert!(backoff.is_exhausted());
    backoff.reset();
    assert_eq!(
        (backoff.failures(), backoff.is_exhausted(), backoff.after_failure()),
        (0, false, Some(secs(1)))
    );
}

#[test]
fn a_policy_can_end_the_retries_and_a_later_yes_does_not_revive_them() {
    let mut backoff = Backoff::new(RetryPolicy::custom(|n| (n != 2).then_some(Duration::from_secs(9))));
    assert_eq!(backoff.after_failure(), Some(secs(9)));
    assert_eq!(backoff.after_failure(), None);
    assert_eq!(backoff.after_failure(), None);
}

#[test]
fn a_policy_that_panics_means_the_default_wait() {
    let mut backoff = Backoff::new(RetryPolicy::custom(|_| panic!("scripted")));
    let wait = backoff.after_failure().expect("the default retries");
    assert!(wait <= secs(1) && wait >= millis(750), "{wait:?}");
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_between_tries_and_answers_the_first_success() {
    let log = Log::new();
    let attempt = |n| {
        log.push(format!("try {n}"));
        async move { if n < 4 { Err("not yet") } else { Ok(n) } }
    };
    let policy = RetryPolicy::exponential(Duration::from_millis(100)).cap(Duration::from_secs(9)).jitter(0.0);
    assert_eq!(run(&Retry::new(Backoff::new(policy)), attempt).await, Ok(4));
    assert_eq!(log.times(), [0, 100, 300, 700]);
}

#[tokio::test(start_paused = true)]
async fn a_terminal_error_ends_the_run_at_once() {
    let retry = Retry::new(every_second()).is_terminal(|error| *error == "gone");
    let error = run(&retry, |n| async move { Err::<(), _>(if n < 3 { "busy" } else { "gone" }) }).await;
    let error = error.unwrap_err();
    assert_eq!((error.reason, error.attempts, error.last), (GiveUp::Terminal, 3, Some("gone")));
}

#[tokio::test(start_paused = true)]
async fn a_run_gives_up_with_the_last_error_when_no_tries_are_left() {
    let retry = Retry::new(every_second().attempts_max(3));
    let error = run(&retry, |n| async move { Err::<(), _>(n) }).await.unwrap_err();
    assert_eq!((error.reason, error.attempts, error.last), (GiveUp::Exhausted, 3, Some(3)));
    assert_eq!(error.to_string(), "gave up after 3 tries, since no tries are left: 3");
}

#[tokio::test(start_paused = true)]
async fn every_run_counts_its_tries_afresh() {
    let mut used = every_second().attempts_max(2);
    used.after_failure();
    let retry = Retry::new(used);
    for _ in 0..2 {
        assert_eq!(run(&retry, |n| async move { Err::<(), _>(n) }).await.unwrap_err().attempts, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn the_budget_bounds_tries_and_waits_together() {
    let began = Instant::now();
    let retry = Retry::new(every_second()).budget(millis(2_500));
    let error = within(run(&retry, |n| async move { Err::<(), _>(n) })).await.unwrap_err();
    assert_eq!((error.reason, error.last, began.elapsed()), (GiveUp::OutOfTime, Some(3), millis(2_500)));
}

#[tokio::test(start_paused = true)]
async fn the_budget_cuts_off_a_try_that_hangs() {
    let retry = Retry::new(every_second()).budget(secs(5));
    let error = within(run(&retry, |_| std::future::pending::<Result<(), ()>>())).await.unwrap_err();
    assert_eq!((error.reason, error.attempts, error.last), (GiveUp::OutOfTime, 1, None));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_between_tries() {
    let stop = CancellationToken::new();
    let retry = Retry::new(every_second()).stop(stop.clone());
    let tries = run(&retry, |n| async move { Err::<(), _>(n) });
    let (error, ()) = tokio::join!(tries, async {
        sleep(millis(1_500)).await;
        stop.cancel();
    });
    let error = error.unwrap_err();
    assert_eq!((error.reason, error.attempts), (GiveUp::Cancelled, 2));
}

#[tokio::test(start_paused = true)]
async fn the_observer_sees_every_failed_try_and_the_wait_after_it() {
    let log = Log::new();
    let seen = log.clone();
    let retry = Retry::new(every_second().attempts_max(3))
        .observe(move |failed| seen.push(format!("{} {} {:?}", failed.attempt, failed.error, failed.wait)));
    assert!(run(&retry, |_| async { Err::<(), _>("no") }).await.is_err());
    assert_eq!(log.lines(), ["1 no Some(1s)", "2 no Some(1s)", "3 no None"]);
}
