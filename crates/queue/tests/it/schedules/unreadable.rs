//! Schedules that this machine cannot read, beside those that it can.

use super::{Report, hourly, report, router, run, set_up};
use queue::{
    Change, ErrorKind, JobOptions, Kind, Queue, State, StorageExt, StoreCopy,
    queue_core::{ContentType, Detail, JobId, NewJob, Payload, Tag, Tags},
    schedules::{Schedule, ScheduleSpec, Timing},
    worker::WorkerEvent,
};
use std::time::Duration;

/// Stores a schedule in a zone that no machine of the test has.
async fn put_unreadable(reports: &Queue<Report, String>, name: &str) {
    let timing = Timing::cron("0 2 * * *", "Europe/Berlin").expect("valid");
    reports.schedules().put(&Schedule::new(name, timing, report())).await.expect("put");
    let id = ScheduleSpec::id_of(name).expect("valid");
    let stored =
        reports.storage().get_one(reports.name(), &id, Detail::Full).await.expect("read").expect("there");
    let text = String::from_utf8(stored.body.expect("whole").payload.bytes.to_vec()).expect("JSON");
    let _ = reports.schedules().remove(name).await.expect("removed");
    let payload = Payload::new(
        text.replace("Europe/Berlin", "Mars/Olympus"),
        ContentType::from_static("application/json"),
    );
    let tags = Tags::new([Tag::new("queue.schedule").expect("valid")]).expect("one");
    let job = NewJob::new(id, Kind::from_static("queue.schedule"), payload).with_tags(tags);
    reports.storage().enqueue(reports.name(), vec![vec![job]]).await.expect("stored");
}

async fn state(reports: &Queue<Report, String>, name: &str) -> State {
    let id: JobId = ScheduleSpec::id_of(name).expect("valid");
    let stored = reports.storage().get_one(reports.name(), &id, Detail::Meta).await.expect("read");
    stored.expect("it is there").meta.state
}

#[tokio::test]
async fn a_listing_shows_the_readable_ones_beside_one_that_is_not() {
    let (_, reports) = set_up();
    put_unreadable(&reports, "martian").await;
    reports.schedules().put(&hourly(report())).await.expect("put");
    let listed = reports.schedules().list().await.expect("listed");
    assert_eq!(listed.schedules.len(), 1);
    let [martian] = &listed.unreadable[..] else { panic!("{listed:?}") };
    assert_eq!((martian.name(), martian.error().kind()), ("martian", ErrorKind::Unsupported));
    assert!(martian.error().message().contains("Mars/Olympus"), "{}", martian.error());
    let refused = reports.schedules().get("martian").await.expect_err("it cannot be read here");
    assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused}");
    assert_eq!(reports.schedules().pause("martian").await.expect("paused"), Change::Done);
    assert_eq!(reports.schedules().remove("martian").await.expect("removed"), Change::Done);
}

#[tokio::test]
async fn a_program_declares_its_own_beside_one_that_it_cannot_read() {
    let (_, reports) = set_up();
    put_unreadable(&reports, "martian").await;
    let declared = reports.schedules().declare([hourly(report())]).await.expect("declared");
    assert_eq!(declared.created, ["hourly"]);
}

/// The declared schedule could not take over the progress of the stored one.
#[tokio::test]
async fn one_of_its_own_that_it_cannot_read_is_left_and_reported() {
    let (_, reports) = set_up();
    put_unreadable(&reports, "hourly").await;
    let declared = reports.schedules().declare([hourly(report())]).await.expect("declared");
    assert_eq!(declared.unreadable, ["hourly"]);
    let refused = reports.schedules().put(&hourly(report())).await.expect_err("it cannot be read here");
    assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused}");
    assert_eq!(reports.schedules().list().await.expect("listed").unreadable.len(), 1);
}

#[tokio::test]
async fn one_that_is_not_valid_lets_none_be_written() {
    let (_, reports) = set_up();
    let invalid = hourly(report()).options(JobOptions::new().run_at(std::time::SystemTime::UNIX_EPOCH));
    let refused = reports.schedules().declare([hourly(report()), invalid]).await.expect_err("it cannot be");
    assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
    assert!(reports.schedules().list().await.expect("listed").schedules.is_empty());
}

#[tokio::test]
async fn a_worker_tells_each_time_that_it_cannot_read_one() {
    let (clock, reports) = set_up();
    put_unreadable(&reports, "martian").await;
    let (told, events) = std::sync::mpsc::channel();
    for _ in 0..2 {
        let told = told.clone();
        let on_event = move |event: &WorkerEvent| drop(told.send(event.clone()));
        let worker = reports.worker(router()).until_idle().on_event(on_event).build().expect("valid");
        worker.run().await;
        clock.advance(Duration::from_secs(5));
    }
    for event in [events.recv(), events.recv()] {
        let event = event.expect("it was offered twice");
        let WorkerEvent::Unreadable { job, reason } = event else { panic!("{event:?}") };
        assert_eq!(job.id.as_str(), "queue.schedule:martian");
        assert!(reason.contains("Mars/Olympus"), "{reason}");
    }
}

#[tokio::test]
async fn a_consumer_in_pull_mode_leaves_it_for_another_machine() {
    let (_, reports) = set_up();
    put_unreadable(&reports, "martian").await;
    assert!(reports.dequeue(Duration::ZERO).await.expect("asked").is_none());
    assert_eq!(state(&reports, "martian").await, State::Queued);
    assert_eq!(run(&reports).await, []);
    assert_eq!(state(&reports, "martian").await, State::Queued);
}

#[tokio::test]
async fn a_copy_takes_it_along_unread() {
    let (_, reports) = set_up();
    put_unreadable(&reports, "martian").await;
    let (_, target) = set_up();
    let report = StoreCopy::new(reports.storage().clone(), target.storage().clone())
        .run(&mut |_| ())
        .await
        .expect("copied");
    assert_eq!(state(&target, "martian").await, State::Queued, "{report:?}");
}
