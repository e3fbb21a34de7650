//! Which jobs are enqueued at ticks, and when.

use super::{DAY, HOUR, MINUTE, Report, hourly, ids, report, router, run, set_up};
use queue::{
    Clock, Queue, Timestamp,
    schedules::{Missed, Overlap, Put, Schedule, ScheduleError, Timing},
    testing::TestStore,
    worker::WorkerEvent,
};
use std::{error::Error as _, time::Duration};

#[tokio::test]
async fn a_tick_enqueues_its_job_once_with_the_tick_in_it() {
    let (clock, reports) = set_up();
    assert_eq!(reports.schedules().put(&hourly(report())).await.expect("put"), Put::Created);
    assert_eq!(run(&reports).await, [], "nothing before the first tick");
    clock.advance(HOUR);
    let ran = run(&reports).await;
    assert_eq!(ids(&ran), ["hourly@2026-01-01T01:00:00Z"]);
    assert_eq!(ran[0].1.day.to_string(), "2026-01-01T01:00:00Z");
    assert_eq!(ran[0].1.of, "sales");
    assert_eq!(run(&reports).await, [], "once");
    clock.advance(HOUR);
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T02:00:00Z"]);
}

#[tokio::test]
async fn pull_mode_alone_keeps_schedules_going_and_never_hands_one_out() {
    let (clock, reports) = set_up();
    reports.schedules().put(&hourly(report())).await.expect("put");
    clock.advance(HOUR);
    let job = reports.dequeue(MINUTE).await.expect("claims").expect("the tick's job");
    assert_eq!(job.meta().id.as_str(), "hourly@2026-01-01T01:00:00Z");
    let _ = job.ack(&"done".to_owned()).await.expect("acked");
}

#[tokio::test]
async fn what_was_missed_is_skipped_run_once_or_run_all() {
    for (missed, expected) in [
        (Missed::Skip { grace: None }, vec![]),
        (Missed::Latest, vec!["hourly@2026-01-01T05:00:00Z"]),
        (Missed::All { max: 2 }, vec!["hourly@2026-01-01T04:00:00Z", "hourly@2026-01-01T05:00:00Z"]),
    ] {
        let (clock, reports) = set_up();
        reports.schedules().put(&hourly(report()).missed(missed)).await.expect("put");
        clock.advance(5 * HOUR + 40 * MINUTE);
        assert_eq!(ids(&run(&reports).await), expected, "{missed:?}");
        clock.advance(20 * MINUTE);
        assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T06:00:00Z"], "{missed:?}");
    }
}

#[tokio::test]
async fn a_tick_beside_one_that_runs_is_skipped_or_cancels_it() {
    let (clock, reports) = set_up();
    let builder = Queue::<Report, String>::builder(reports.storage().clone(), "reports").lease(DAY);
    let reports = builder.build().expect("valid");
    let schedules = reports.schedules();
    schedules.put(&hourly(report()).overlap(Overlap::Skip)).await.expect("put");
    clock.advance(HOUR);
    let first = reports.dequeue(MINUTE).await.expect("claims").expect("the first");
    clock.advance(HOUR);
    assert!(reports.dequeue(Duration::from_millis(1)).await.expect("claims").is_none(), "skipped");
    let _ = first.ack(&"done".to_owned()).await.expect("acked");
    clock.advance(HOUR);
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T03:00:00Z"]);

    schedules.put(&hourly(report()).overlap(Overlap::CancelPrevious)).await.expect("put");
    clock.advance(HOUR);
    let fourth = reports.dequeue(MINUTE).await.expect("claims").expect("the fourth");
    clock.advance(HOUR);
    let fifth = reports.dequeue(MINUTE).await.expect("claims").expect("the fifth");
    assert_eq!(fifth.meta().id.as_str(), "hourly@2026-01-01T05:00:00Z");
    let asked = reports.status("hourly@2026-01-01T04:00:00Z").await.expect("read").expect("it runs");
    assert!(asked.meta.cancel_requested);
    drop((fourth, fifth));
}

#[tokio::test]
async fn a_schedule_of_moments_ends_after_the_last_and_is_over_when_declared_again() {
    let (clock, reports) = set_up();
    let at = Timestamp::from_millis(clock.now().as_millis() + 5_000);
    let once = || Schedule::new("once", Timing::at([at]).expect("a moment"), report());
    reports.schedules().declare([once()]).await.expect("declared");
    clock.advance(Duration::from_secs(5));
    assert_eq!(ids(&run(&reports).await), ["once@2026-01-01T00:00:05Z"]);
    assert!(reports.schedules().get("once").await.expect("read").is_none());
    let again = reports.schedules().declare([once()]).await.expect("declared");
    assert_eq!(again.over, ["once"]);
    let refused = reports.schedules().put(&once()).await.expect_err("it never fires");
    let source = refused.source().and_then(|source| source.downcast_ref::<ScheduleError>());
    assert!(matches!(source, Some(ScheduleError::NeverFires { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_clock_that_steps_an_hour_either_way_enqueues_no_tick_twice_and_goes_on() {
    let (clock, reports) = set_up();
    let start = clock.now();
    reports.schedules().put(&hourly(report()).missed(Missed::All { max: 100 })).await.expect("put");
    clock.advance(HOUR);
    assert_eq!(run(&reports).await.len(), 1);
    let ahead = Timestamp::from_millis(start.as_millis() + 2 * 3_600_000);
    clock.set(ahead);
    assert_eq!(run(&reports).await.len(), 1, "the tick up to there, once");
    clock.set(Timestamp::from_millis(start.as_millis() + 3_600_000));
    clock.advance(HOUR);
    assert_eq!(run(&reports).await.len(), 0, "up to where the clock had been nothing comes again");
    clock.advance(HOUR);
    assert_eq!(run(&reports).await.len(), 1, "and then it goes on");
}

#[tokio::test]
async fn a_schedule_that_met_a_clock_far_ahead_shows_and_runs_its_next_ticks() {
    let (clock, reports) = set_up();
    let start = clock.now();
    reports.schedules().put(&hourly(report())).await.expect("put");
    clock.set(Timestamp::from_millis(start.as_millis() + 40 * 24 * 3_600_000));
    run(&reports).await;
    clock.set(start);
    let status = reports.schedules().get("hourly").await.expect("read").expect("it is there");
    assert!(status.ahead() > Some(39 * 24 * HOUR), "{:?}", status.ahead());
    assert_eq!(status.next(1)[0].to_string(), "2026-01-01T01:00:00Z");
    let edited = hourly(report()).overlap(Overlap::Skip);
    assert_eq!(reports.schedules().put(&edited).await.expect("put"), Put::Changed);
    let mut ran = Vec::new();
    for _ in 0..4 {
        clock.advance(HOUR);
        ran.extend(ids(&run(&reports).await).into_iter().map(str::to_owned));
    }
    // It looks at one o'clock and at two, and is set back to the first of these.
    let ticks = ["02", "03", "04"].map(|hour| format!("hourly@2026-01-01T{hour}:00:00Z"));
    assert_eq!(ran, ticks);
    let status = reports.schedules().get("hourly").await.expect("read").expect("it is there");
    assert_eq!(status.ahead(), None);
}

#[tokio::test]
async fn skipped_ticks_are_told() {
    let (clock, reports) = set_up();
    reports.schedules().put(&hourly(report())).await.expect("put");
    clock.advance(10 * HOUR + 40 * MINUTE);
    let (told, events) = std::sync::mpsc::channel();
    let worker = reports
        .worker(router())
        .until_idle()
        .on_event(move |event: &WorkerEvent| drop(told.send(event.clone())))
        .build()
        .expect("valid");
    let report = worker.run().await;
    assert_eq!((report.started, report.released), (0, 0), "{report:?}");
    let events: Vec<WorkerEvent> = events.try_iter().collect();
    assert!(matches!(&events[..], [WorkerEvent::TicksSkipped { ticks: 10, .. }]), "{events:?}");
}

#[tokio::test]
async fn a_waiting_schedule_keeps_no_drain_from_its_end() {
    let store = TestStore::new();
    let reports = store.queue::<Report, String>("reports");
    reports.schedules().put(&hourly(report())).await.expect("put");
    reports.enqueued().assert_none().await;
    let report = reports.drain(router()).await;
    assert_eq!(report.completed, 0);
    store.advance(HOUR);
    let report = reports.drain(router()).await;
    assert_eq!(report.completed, 1);
}
