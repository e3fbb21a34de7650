//! Schedules, on a store whose clock a test moves.

use crate::support::{settle_down, spawn};
use queue::{
    Change, Clock, ManualClock, MemoryStorage, Queue, Storage, StorageExt, Timestamp,
    schedules::{Missed, Overlap, Put, Schedule, ScheduleError, Tick, Timing},
    testing::TestStore,
    worker::{JobError, Router, WorkerEvent},
};
use serde::{Deserialize, Serialize};
use std::{error::Error as _, sync::Arc, time::Duration};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Report {
    day: Tick,
    of: String,
}

fn report() -> Report {
    Report { day: Tick::HERE, of: "sales".to_owned() }
}

/// A memory store at the beginning of 2026, its clock, and a queue of reports.
fn set_up() -> (Arc<ManualClock>, Queue<Report, String>) {
    let clock = Arc::new(ManualClock::default());
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
    (clock, Queue::new(storage, "reports").expect("a valid name"))
}

fn hourly(payload: Report) -> Schedule<Report> {
    Schedule::new("hourly", Timing::every(HOUR).expect("an hour"), payload)
}

/// Handles everything that is due, and answers what ran.
async fn run(queue: &Queue<Report, String>) -> Vec<(String, Report)> {
    let (ran, seen) = std::sync::mpsc::channel();
    let worker = queue
        .work_with(move |report: Report, job| {
            ran.send((job.meta().id.to_string(), report)).expect("the test listens");
            async move { Ok::<_, JobError>("done".to_owned()) }
        })
        .until_idle()
        .build()
        .expect("valid");
    let report = worker.run().await;
    assert_eq!((report.failed, report.abandoned), (0, 0), "{report:?}");
    seen.try_iter().collect()
}

fn ids(ran: &[(String, Report)]) -> Vec<&str> {
    ran.iter().map(|(id, _)| id.as_str()).collect()
}

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
async fn a_schedule_that_is_edited_goes_on_where_it_stood() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    assert_eq!(schedules.put(&hourly(report())).await.expect("put"), Put::Unchanged);
    let before = schedules.get("hourly").await.expect("read").expect("there").meta().revision;
    clock.advance(HOUR + MINUTE); // due, and nobody was there
    let each_10 = Schedule::new("hourly", Timing::every(10 * MINUTE).expect("ten minutes"), report());
    assert_eq!(schedules.put(&each_10).await.expect("put"), Put::Changed);
    assert_eq!(before, 1, "the same was not written again");
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:00:00Z"], "the old one's last tick");
    clock.advance(10 * MINUTE);
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:10:00Z"]);
}

#[tokio::test]
async fn a_paused_schedule_waits_and_a_resumed_one_makes_up_as_its_policy_says() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report()).missed(Missed::Latest)).await.expect("put");
    assert_eq!(schedules.pause("hourly").await.expect("paused"), Change::Done);
    let status = schedules.get("hourly").await.expect("read").expect("there");
    assert!(status.is_paused() && status.next(1).is_empty());
    clock.advance(3 * DAY);
    assert_eq!(run(&reports).await, []);
    // An edit leaves it paused.
    let renamed = hourly(Report { of: "costs".to_owned(), ..report() }).missed(Missed::Latest);
    assert_eq!(schedules.put(&renamed).await.expect("put"), Put::Changed);
    assert_eq!(run(&reports).await, []);
    assert_eq!(schedules.resume("hourly").await.expect("resumed"), Change::Done);
    let ran = run(&reports).await;
    assert_eq!(ids(&ran), ["hourly@2026-01-04T00:00:00Z"]);
    assert_eq!(ran[0].1.of, "costs");
    assert_eq!(schedules.pause("nightly").await.expect("asked"), Change::Missing);
}

#[tokio::test]
async fn a_removed_schedule_is_gone_and_its_name_free() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    assert_eq!(schedules.remove("hourly").await.expect("removed"), Change::Done);
    assert_eq!(schedules.remove("hourly").await.expect("asked"), Change::Missing);
    assert!(schedules.get("hourly").await.expect("read").is_none());
    clock.advance(DAY);
    assert_eq!(run(&reports).await, []);
    assert_eq!(schedules.put(&hourly(report())).await.expect("put"), Put::Created);
}

#[tokio::test]
async fn one_that_is_removed_while_it_fires_enqueues_that_tick_and_goes() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    clock.advance(HOUR);
    let claimed = hold(&reports).await;
    assert_eq!(schedules.remove("hourly").await.expect("asked"), Change::Requested);
    fire(&reports, claimed).await;
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:00:00Z"]);
    clock.advance(DAY);
    assert_eq!(run(&reports).await, []);
    assert!(schedules.list().await.expect("listed").is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_that_is_edited_while_it_fires_is_edited_after_it() {
    let (clock, reports) = set_up();
    reports.schedules().put(&hourly(report())).await.expect("put");
    clock.advance(HOUR);
    let claimed = hold(&reports).await;
    let editor = reports.schedules();
    let edit = spawn(async move {
        let each_10 = Schedule::new("hourly", Timing::every(10 * MINUTE).expect("ten minutes"), report());
        editor.put(&each_10).await
    });
    settle_down().await;
    fire(&reports, claimed).await;
    assert_eq!(edit.await.expect("no panic").expect("put"), Put::Changed);
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:00:00Z"]);
    clock.advance(10 * MINUTE);
    assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:10:00Z"]);
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
async fn declaring_twice_writes_once_and_what_is_gone_is_reported() {
    let (_, reports) = set_up();
    let nightly =
        || Schedule::new("nightly", Timing::cron("0 2 * * *", "Europe/Berlin").expect("valid"), report());
    let first = reports.schedules().declare([hourly(report()), nightly()]).await.expect("declared");
    assert_eq!(first.created, ["hourly", "nightly"]);
    let second = reports.schedules().declare([nightly()]).await.expect("declared");
    assert_eq!(
        (second.unchanged, second.undeclared),
        (vec!["nightly".to_owned()], vec!["hourly".to_owned()])
    );
    let other = reports.schedules().declare([nightly().overlap(Overlap::Skip)]).await.expect("declared");
    assert_eq!(other.changed, ["nightly"]);
    assert_eq!(reports.schedules().list().await.expect("listed").len(), 2);
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
async fn a_clock_that_steps_a_day_either_way_enqueues_no_tick_twice_and_goes_on() {
    let (clock, reports) = set_up();
    let start = clock.now();
    reports.schedules().put(&hourly(report()).missed(Missed::All { max: 100 })).await.expect("put");
    clock.advance(HOUR);
    assert_eq!(run(&reports).await.len(), 1);
    let day_ahead = Timestamp::from_millis(start.as_millis() + 25 * 3_600_000);
    clock.set(day_ahead);
    assert_eq!(run(&reports).await.len(), 24, "the ticks up to there, once");
    clock.set(Timestamp::from_millis(start.as_millis() + 3_600_000));
    let mut again = 0;
    for _ in 0..25 {
        clock.advance(HOUR);
        again += run(&reports).await.len();
    }
    assert_eq!(again, 1, "up to where the clock had been nothing comes again, and then it goes on");
}

#[tokio::test]
async fn run_now_is_beside_the_ticks_and_works_on_a_paused_schedule() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    let _ = schedules.pause("hourly").await.expect("paused");
    clock.advance(Duration::from_millis(1_500));
    let id = schedules.run_now("hourly").await.expect("run").expect("there");
    assert_eq!(id.as_str(), "hourly@2026-01-01T00:00:01.5Z");
    let ran = run(&reports).await;
    assert_eq!(ids(&ran), [id.as_str()]);
    assert_eq!(schedules.run_now("nightly").await.expect("asked"), None);
}

#[tokio::test]
async fn bad_schedules_are_refused_before_anything_is_written() {
    let (_, reports) = set_up();
    let seconds = Timing::cron("* * * * * *", "UTC").expect("valid");
    let day = Timing::every(DAY).expect("a day");
    for schedule in [
        Schedule::new("", day.clone(), report()),
        Schedule::new("a@b", day.clone(), report()),
        Schedule::new("x".repeat(201), day.clone(), report()),
        Schedule::new("seconds", seconds.clone(), report()).spread(2 * Duration::from_secs(1)),
        Schedule::new("seconds", seconds, report()).jitter(2 * Duration::from_secs(1)),
        Schedule::new("none", day.clone(), report()).missed(Missed::All { max: 0 }),
        Schedule::new("late", day, report())
            .options(queue::JobOptions::new().run_at(std::time::SystemTime::UNIX_EPOCH)),
    ] {
        let refused = reports.schedules().put(&schedule).await.expect_err("it cannot be");
        assert_eq!(refused.kind(), queue::ErrorKind::Invalid, "{refused}");
    }
    assert!(reports.schedules().list().await.expect("listed").is_empty());
    assert!(Timing::cron("0 0 30 2 *", "UTC").is_err() && Timing::cron("* * * * *", "Mars/Olympus").is_err());
}

#[tokio::test]
async fn skipped_ticks_are_told() {
    let (clock, reports) = set_up();
    reports.schedules().put(&hourly(report())).await.expect("put");
    clock.advance(10 * HOUR + 40 * MINUTE);
    let (told, events) = std::sync::mpsc::channel();
    let worker = reports
        .worker(Router::new(()))
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

fn router() -> Router {
    let router = Router::new(());
    router.handle("default", |_: Report, _| async { Ok(String::new()) }).expect("the only handler")
}

/// Claims the schedule as a worker would that then takes its time.
async fn hold(reports: &Queue<Report, String>) -> queue::queue_core::ClaimedJob {
    use queue::queue_core::{ClaimRequest, Span};
    let (worker, lease) = (queue::WorkerId::from_static("slow"), Span::from_secs(60));
    let request = ClaimRequest::new(reports.name().clone(), worker, 1, lease, &queue::SystemRng);
    let mut claimed = reports.storage().claim(request).await.expect("claims");
    claimed.jobs.pop().expect("the schedule is due")
}

/// Does what that worker had to do.
async fn fire(reports: &Queue<Report, String>, claimed: queue::queue_core::ClaimedJob) {
    use queue::worker::{ReservedJob, handle_reserved};
    let payload = &claimed.record.body.as_ref().expect("claimed with its body").payload;
    let job = ReservedJob { meta: &claimed.record.meta, payload, token: claimed.token };
    let handled = handle_reserved(&**reports.storage(), job).await.expect("handled");
    let policy = queue::Policy::default();
    reports.storage().settle(&claimed.record.meta, handled.event, &policy).await.expect("settled");
}
