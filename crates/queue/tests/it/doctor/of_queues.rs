//! What it finds about queues.

use super::ward::{MINUTE, Ward, complete, job, jobs, queue};
use queue::{
    Failure, Kind,
    doctor::Severity,
    queue_core::{
        Budget, Pause, QueueName, Retention, Tag, Tags, WorkerId,
        asking::StoreAnswers,
        lifecycle::{Cause, Event},
    },
    schedules::{Schedule, Timing},
};
use std::time::Duration;

#[tokio::test]
async fn lapsed_leases_are_a_warning_once_a_worker_that_has_just_started_would_have_ended_them() {
    let ward = Ward::new();
    ward.put(jobs(2)).await;
    ward.claim(2, 30).await;
    ward.clock.advance(Duration::from_secs(30 + 10) + StoreAnswers::RESENT_WITHIN);
    Ward::assert_is(&ward.finding("leases-lapsed").await, Severity::Fine, "no lease");
    ward.clock.advance(Duration::from_millis(1));
    Ward::assert_is(&ward.finding("leases-lapsed").await, Severity::Warning, "\"emails\" has 2 leases");
}

#[tokio::test]
async fn jobs_held_by_somebody_who_is_not_there_are_a_warning_after_a_minute() {
    let ward = Ward::new();
    ward.put(jobs(2)).await;
    ward.claim(2, 600).await;
    ward.clock.advance(MINUTE);
    Ward::assert_is(&ward.finding("held-by-nobody").await, Severity::Fine, "every");
    ward.clock.advance(Duration::from_millis(1));
    Ward::assert_is(&ward.finding("held-by-nobody").await, Severity::Warning, "2 running jobs");
    ward.announce("holder", "0.1.0", None, 2).await;
    Ward::assert_is(&ward.finding("held-by-nobody").await, Severity::Fine, "every");
}

#[tokio::test]
async fn due_jobs_without_a_worker_and_beside_idle_ones_are_warnings() {
    let ward = Ward::new();
    ward.put(jobs(1)).await;
    ward.clock.advance(MINUTE);
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Fine, "every");
    ward.clock.advance(MINUTE);
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Warning, "due for 2 min and no worker");
    ward.announce("a", "0.1.0", None, 4).await;
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Fine, "every");
    Ward::assert_is(&ward.finding("due-jobs-idle-workers").await, Severity::Fine, "no job waits");
    ward.announce("a", "0.1.0", None, 3).await;
    Ward::assert_is(&ward.finding("due-jobs-idle-workers").await, Severity::Warning, "1 workers with free");
    // One that drains claims nothing.
    ward.store.set_duty(&WorkerId::from_static("a"), queue_core::Duty::Drain).await.unwrap();
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Warning, "no worker");
}

/// The job of an election is always due where no process leads, and no worker may take it.
#[tokio::test]
async fn an_idle_election_is_no_queue_without_a_worker() {
    let ward = Ward::new();
    for name in ["leader:nightly", "queue.operations"] {
        ward.store.enqueue(&QueueName::new(name).unwrap(), vec![vec![job("leader")]]).await.unwrap();
    }
    ward.clock.advance(MINUTE * 2);
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Fine, "every");
}

#[tokio::test]
async fn kinds_that_no_worker_handles_are_a_warning_if_all_workers_tell_theirs() {
    let ward = Ward::new();
    ward.put([job("a")]).await;
    ward.announce("a", "0.1.0", Some(&["report"]), 0).await;
    Ward::assert_is(&ward.finding("kinds-unhandled").await, Severity::Warning, "\"email\"");
    ward.announce("b", "0.1.0", None, 0).await;
    Ward::assert_is(&ward.finding("kinds-unhandled").await, Severity::Fine, "no waiting job");
}

#[tokio::test]
async fn a_pause_is_a_warning_once_a_job_has_been_due_for_a_day() {
    let ward = Ward::new();
    ward.put(jobs(1)).await;
    ward.store.set_paused(&queue(), None, Pause::UntilResumed).await.unwrap();
    ward.clock.advance(Duration::from_secs(86_400));
    Ward::assert_is(&ward.finding("queue-paused-long").await, Severity::Fine, "no paused queue");
    ward.clock.advance(Duration::from_millis(1));
    Ward::assert_is(&ward.finding("queue-paused-long").await, Severity::Warning, "due for 1 d");
    Ward::assert_is(&ward.finding("nobody-works").await, Severity::Fine, "every");
}

#[tokio::test]
async fn many_failed_jobs_of_the_last_hour_are_a_warning() {
    let ward = Ward::new();
    let fails = |n: usize| job(format!("f{n}")).with_max_attempts(Budget::from_raw(1));
    ward.put((0..20).map(fails)).await;
    let cause = |token| Event::Fail {
        token,
        failure: Failure::new("Broken", "a-telling-error"),
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    ward.end(cause).await;
    let found = ward.finding("failed-share").await;
    Ward::assert_is(&found, Severity::Warning, "20 or more jobs that failed in the last hour");
    assert!(!found.seen.contains("a-telling-error"));
    ward.put(jobs(400)).await;
    ward.end(complete).await;
    Ward::assert_is(&ward.finding("failed-share").await, Severity::Fine, "no queue");
    ward.clock.advance(Duration::from_secs(3_601));
    Ward::assert_is(&ward.finding("failed-share").await, Severity::Fine, "no queue");
}

#[tokio::test]
async fn records_that_are_kept_for_ever_are_a_warning_once_there_are_many() {
    let ward = Ward::new();
    for part in 0..10 {
        let kept = (0..1_000).map(|n| {
            let mut job = job(format!("{part}-{n}"));
            job.terms.retention.completed = Retention::Forever;
            job
        });
        assert_eq!(ward.finding("kept-for-ever").await.severity, Severity::Fine);
        ward.put(kept).await;
        ward.end(complete).await;
    }
    Ward::assert_is(&ward.finding("kept-for-ever").await, Severity::Warning, "keeps 10000 finished records");
}

/// A job of the library's own, in a layout that this version does not know.
fn newer(id: &str, kind: &'static str) -> queue_core::NewJob {
    let mut newer = job(id);
    (newer.kind, newer.payload.bytes) = (Kind::from_static(kind), r#"{"version":99}"#.into());
    newer.with_tags(Tags::new([Tag::new(kind).expect("a kind is a tag")]).expect("one tag"))
}

#[tokio::test]
async fn a_schedule_that_cannot_be_read_here_is_a_warning() {
    let ward = Ward::new();
    ward.put([job("a")]).await;
    Ward::assert_is(&ward.finding("schedules-unreadable").await, Severity::Fine, "every schedule");
    ward.put([newer("queue.schedule:martian", "queue.schedule")]).await;
    let found = ward.finding("schedules-unreadable").await;
    Ward::assert_is(&found, Severity::Warning, "\"emails\" has 1");
    assert!(found.seen.contains("version 99"), "{found:?}");
}

#[tokio::test]
async fn an_operation_that_cannot_be_read_here_is_a_warning() {
    let ward = Ward::new();
    let operations = QueueName::from_static("queue.operations");
    let operation = newer("o", "queue.operation");
    ward.store.enqueue(&operations, vec![vec![operation]]).await.expect("stored");
    Ward::assert_is(&ward.finding("operations-unreadable").await, Severity::Warning, "version 99");
}

/// The doctor's machine can read it; the machines of the workers may not be able to.
#[tokio::test]
async fn a_schedule_whose_ticks_nobody_enqueues_is_a_warning() {
    let ward = Ward::new();
    let reports: queue::Queue<u32> = queue::Queue::new(ward.store.clone(), queue()).expect("a queue");
    let hourly = Timing::every(60 * MINUTE).expect("an hour");
    reports.schedules().put(&Schedule::new("hourly", hourly, 1)).await.expect("put");
    ward.clock.advance(61 * MINUTE);
    Ward::assert_is(&ward.finding("schedules-late").await, Severity::Fine, "every schedule");
    ward.clock.advance(Duration::from_millis(1));
    Ward::assert_is(&ward.finding("schedules-late").await, Severity::Warning, "\"emails\" has 1");
    let _ = reports.schedules().pause("hourly").await.expect("paused");
    Ward::assert_is(&ward.finding("schedules-late").await, Severity::Fine, "every schedule");
}

#[tokio::test]
async fn a_queue_that_is_named_is_looked_at_behind_a_thousand_others() {
    let ward = Ward::new();
    for number in 0..1_001 {
        let other = QueueName::new(format!("a{number:04}")).expect("it is a name");
        let groups = jobs(2).into_iter().map(|job| vec![job]).collect();
        ward.store.enqueue(&other, groups).await.expect("it is stored");
    }
    ward.put(jobs(1)).await;
    ward.claim(1, 30).await;
    ward.clock.advance(MINUTE);
    Ward::assert_is(&ward.finding("leases-lapsed").await, Severity::Fine, "no lease");
    let named = ward.doctor().without_probe().queue(queue()).examine().await;
    let found = named.finding("leases-lapsed").expect("it is looked at");
    Ward::assert_is(found, Severity::Warning, "\"emails\" has");
}
