//! Progress on its way to the store.

use crate::support::{Fault, Rig, job, millis, router};
use queue_core::{ErrorKind, Limits};
use queue_worker::{Context, JobError, ProgressError, Router};
use tokio::time::sleep;

/// A handler that reports a number at each interval, this many times, and then sleeps for a minute.
fn counting(reports: u64, every_micros: u64) -> Router {
    router(move |_, context: Context| async move {
        for n in 1..=reports {
            context.report_progress(&n)?;
            sleep(std::time::Duration::from_micros(every_micros)).await;
        }
        sleep(millis(60_000)).await;
        Ok(())
    })
}

async fn stored(rig: &Rig, name: &str) -> Option<String> {
    let progress = rig.meta(name).await.progress;
    progress.map(|bytes| String::from_utf8(bytes.to_vec()).expect("a number in JSON"))
}

#[tokio::test(start_paused = true)]
async fn progress_is_stored_within_a_second_whatever_the_lease() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(counting(1, 0)).lease(millis(3_600_000)));
    rig.events.wait_for("started a").await;
    sleep(millis(1001)).await;
    assert_eq!(stored(&rig, "a").await.as_deref(), Some("1"));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_reports_a_second_become_one_call_a_second_and_the_last_one_wins() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let running = Rig::start(rig.worker(counting(100_000, 100)).lease(millis(3_600_000)));
    rig.events.wait_for("started 3").await;
    sleep(millis(300_000)).await;
    let calls = rig.store.log().heartbeats;
    // Timers have a resolution of a millisecond, so a report every 100 us takes longer than ten
    // seconds.
    assert!((10..=250).contains(&calls.len()), "{} calls", calls.len());
    assert!(calls.iter().all(|&size| size == 4), "all jobs go in one call: {calls:?}");
    for n in 0..4 {
        assert_eq!(stored(&rig, &n.to_string()).await.as_deref(), Some("100000"));
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn progress_that_does_not_change_is_sent_once() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(counting(1, 0)).lease(millis(3_600_000)));
    sleep(millis(59_000)).await;
    assert_eq!(rig.store.log().heartbeats, [1]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn progress_that_the_store_refused_is_sent_again() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut calls = 0;
    rig.store.script().on_heartbeat = Some(Box::new(move |_| {
        calls += 1;
        if calls <= 3 { Fault::Refuse(ErrorKind::Unavailable) } else { Fault::None }
    }));
    let running = Rig::start(rig.worker(counting(1, 0)).lease(millis(3_600_000)));
    sleep(millis(4500)).await;
    assert_eq!(stored(&rig, "a").await.as_deref(), Some("1"));
    assert_eq!(rig.events.count("error Unavailable"), 3);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_gets_one_report_at_a_time_and_ends_up_with_the_last() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Late(millis(5000))));
    let running = Rig::start(rig.worker(counting(300, 100_000)).lease(millis(3_600_000)));
    sleep(millis(50_000)).await;
    assert!(rig.store.log().heartbeats.len() <= 9, "{:?}", rig.store.log().heartbeats);
    assert_eq!(stored(&rig, "a").await.as_deref(), Some("300"));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn progress_over_the_limit_of_the_store_is_refused_at_once_and_what_was_there_stays() {
    let rig = Rig::new();
    rig.store.script().limits = Some(Limits { note_bytes_max: 10, ..Limits::default() });
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        context.report_progress(&"12345678")?;
        let error = context.report_progress(&"123456789").expect_err("it is too large with its quotes");
        assert!(matches!(error, ProgressError::TooLarge { bytes: 11, most: 10 }), "{error:?}");
        context.heartbeat().await?;
        context.report_progress(&"123456789")?;
        Ok(())
    });
    rig.drain(rig.worker(handler)).await;
    let meta = rig.meta("a").await;
    assert_eq!(meta.progress(), Some(&b"\"12345678\""[..]));
    let error = meta.last_error.expect("the question mark failed the attempt");
    let expected = "a progress report has at most 10 bytes, this one has 11";
    assert_eq!((error.name(), error.message()), ("ProgressError", expected));
}

#[tokio::test(start_paused = true)]
async fn progress_outlives_the_attempt_until_the_next_reports() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.attempt() == 1 {
            context.report_progress(&50)?;
            context.heartbeat().await?;
            return Err(JobError::named("Test", "half way"));
        }
        Ok(())
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(stored(&rig, "a").await.as_deref(), Some("50"));
}
