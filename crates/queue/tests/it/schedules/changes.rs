//! Schedules that are created, edited, paused and removed.

use super::{DAY, HOUR, MINUTE, Report, fire, hold, hourly, ids, report, run, set_up};
use crate::support::{settle_down, spawn};
use queue::{
    Change, JobOptions, Kind,
    queue_core::ListQuery,
    schedules::{Missed, Overlap, Put, Schedule, ScheduleStatus, Timing},
};
use std::time::Duration;

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
    // An edit leaves the schedule paused.
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
async fn schedules_are_found_without_a_look_at_other_jobs() {
    let (_clock, reports) = set_up();
    let others = (0..=ListQuery::LOOKS_MAX).map(|n| (format!("job-{n}"), report()));
    reports.enqueue_many(others, JobOptions::default()).await.expect("enqueued");
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    let page = schedules.page(None).await.expect("read");
    assert_eq!(page.schedules.iter().map(ScheduleStatus::name).collect::<Vec<_>>(), ["hourly"]);
    assert!(page.next.is_none(), "nothing is left to look at");
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
    assert!(schedules.list().await.expect("listed").schedules.is_empty());
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
    assert_eq!(reports.schedules().list().await.expect("listed").schedules.len(), 2);
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
    let of_the_library = reports.of_kind(Kind::from_static("queue.mine")).schedules();
    let refused = of_the_library.put(&hourly(report())).await.expect_err("the kind is reserved");
    assert!(refused.to_string().contains("reserved"), "{refused}");
    assert!(reports.schedules().list().await.expect("listed").schedules.is_empty());
    assert!(Timing::cron("0 0 30 2 *", "UTC").is_err() && Timing::cron("* * * * *", "Mars/Olympus").is_err());
}
