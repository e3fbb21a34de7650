//! Kinds of the library's own.

use crate::support::{Rig, id, job, millis, router};
use queue_core::{
    Kind, NewJob, State, Timestamp,
    lifecycle::{RESERVED_KIND_WAIT, Unhandled},
};
use queue_schedule::{ScheduleSpec, Template, Timing, schedule_tags};
use queue_worker::{Context, RateLimit, Router, WorkQueue};
use std::time::Duration;
use tokio::time::sleep;

fn of_kind(kind: &'static str) -> NewJob {
    NewJob::new(id("a"), Kind::from_static(kind), job("a", 1).payload)
}

fn schedule_of(timing: Timing) -> NewJob {
    let spec = ScheduleSpec::new(
        "s",
        timing,
        Template::of(&job("tick", 2)).expect("a template"),
        Timestamp::default(),
    );
    let mut schedule = of_kind("queue.schedule");
    schedule.payload.bytes = spec.to_bytes().into();
    schedule.with_tags(schedule_tags())
}

#[tokio::test(start_paused = true)]
async fn a_kind_of_a_newer_version_waits_for_a_worker_that_knows_it_however_long() {
    let rig = Rig::new();
    rig.enqueue([of_kind("queue.tomorrow")]).await;
    for policy in [Unhandled::Fail, Unhandled::Retry] {
        let running =
            Rig::start(rig.worker(router(|_, _: Context| async { Ok(()) })).on_unknown_kind(policy));
        sleep(Duration::from_secs(3600)).await;
        running.stop().await;
        let meta = rig.meta("a").await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0), "{policy:?}");
        assert!(meta.epoch > 600, "it was offered every few seconds at most: {}", meta.epoch);
    }
    assert_eq!(RESERVED_KIND_WAIT.as_duration(), Duration::from_secs(5));
}

#[test]
fn no_router_can_take_a_reserved_kind() {
    let refused = Router::new(()).handle("queue.schedule", |_: u32, _| async { Ok(()) });
    assert!(refused.expect_err("reserved").to_string().contains("reserved"));
}

#[tokio::test(start_paused = true)]
async fn a_queue_of_waiting_schedules_counts_as_empty() {
    let rig = Rig::new();
    let timing = Timing::every(Duration::from_secs(3600)).expect("an hour");
    let schedule = schedule_of(timing).with_delay(queue_core::Span::from_secs(1800));
    rig.enqueue([schedule, job("b", 1)]).await;
    let report = rig
        .drain(rig.worker(router(|_, _: Context| async {
            sleep(millis(10)).await;
            Ok(())
        })))
        .await;
    assert_eq!(report.completed, 1);
    assert_eq!(rig.meta("a").await.state, State::Queued);
}

#[tokio::test(start_paused = true)]
async fn what_the_library_does_for_itself_uses_up_no_start_of_a_rate_limit() {
    let rig = Rig::new();
    let far = Timing::at([Timestamp::from_millis(200_000_000_000_000)]).expect("a moment");
    let schedule = schedule_of(far).with_priority(i16::MIN);
    rig.enqueue([schedule, job("b", 1)]).await;
    let hourly = RateLimit::new(1, millis(3_600_000));
    let queue = WorkQueue::new(rig.queue.clone()).rate_limit(hourly);
    let worker = rig.worker_on(router(|_, _: Context| async { Ok(()) }), [queue]);
    let report = rig.drain(worker).await;
    assert_eq!(report.completed, 1);
    assert!(rig.events.times_of("completed b")[0] < 60_000, "{:?}", rig.events);
}

#[tokio::test(start_paused = true)]
async fn a_queue_of_waiting_schedules_counts_as_empty_though_no_job_may_start_for_an_hour() {
    let rig = Rig::new();
    let timing = Timing::every(Duration::from_secs(7200)).expect("two hours");
    let schedule = schedule_of(timing).with_delay(queue_core::Span::from_secs(7200));
    rig.enqueue([schedule, job("b", 1)]).await;
    let queue = WorkQueue::new(rig.queue.clone()).rate_limit(RateLimit::new(1, millis(3_600_000)));
    let began = tokio::time::Instant::now();
    let report = rig.drain(rig.worker_on(router(|_, _: Context| async { Ok(()) }), [queue])).await;
    assert_eq!(report.completed, 1);
    assert!(
        began.elapsed() < millis(60_000),
        "it waited {:?} for a token that it had no use for",
        began.elapsed()
    );
}
