//! Jobs of the library's own that this build or this machine cannot read, and another may.

use crate::{
    support::{Rig, id, job, router},
    traced::Lines,
};
use queue_core::{JobMeta, Kind, NewJob, State, Timestamp};
use queue_schedule::{ScheduleSpec, Template, Timing, schedule_tags};
use queue_worker::{Context, operations::OPERATION_KIND};
use tokio::time::sleep;
use tracing::Level;

fn schedule() -> NewJob {
    let timing = Timing::cron("0 2 * * *", "Europe/Berlin").expect("valid");
    let spec = ScheduleSpec::new(
        "s",
        timing,
        Template::of(&job("tick", 1)).expect("a template"),
        Timestamp::default(),
    );
    let mut schedule = NewJob::new(id("a"), Kind::from_static("queue.schedule"), job("a", 1).payload);
    schedule.payload.bytes = spec.to_bytes().into();
    schedule.with_tags(schedule_tags())
}

/// A stored job as a library wrote it that knows more than this one.
fn written_elsewhere(mut stored: NewJob, known: &str, unknown: &str) -> NewJob {
    let text = String::from_utf8(stored.payload.bytes.to_vec()).expect("it is JSON");
    assert!(text.contains(known), "{text}");
    stored.payload.bytes = text.replace(known, unknown).into();
    stored
}

fn operation() -> NewJob {
    let text = r#"{"version":1,"queue":"tests","filter":{"states":["failed"]},"action":"unheard-of","jobs_max":9,"last_seq":9,"begun_ms":0}"#;
    let mut operation = NewJob::new(id("a"), Kind::from_static(OPERATION_KIND), job("a", 1).payload);
    operation.payload.bytes = text.into();
    operation
}

async fn an_hour_of_a_worker(rig: &Rig, unreadable: NewJob) -> JobMeta {
    rig.enqueue([unreadable]).await;
    let running = Rig::start(rig.worker(router(|_, _: Context| async { Ok(()) })));
    sleep(std::time::Duration::from_secs(3600)).await;
    running.stop().await;
    rig.meta("a").await
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_another_machine_can_read_is_put_back_and_never_ended() {
    for (known, unknown) in [
        ("Europe/Berlin", "Mars/Olympus"),
        ("0 2 * * *", "0 2 * * * sometimes"),
        (r#""overlap":"allow""#, r#""overlap":"queue_one""#),
    ] {
        let rig = Rig::new();
        let meta = an_hour_of_a_worker(&rig, written_elsewhere(schedule(), known, unknown)).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0), "{unknown}");
        // Often at first, and then every few seconds.
        assert!((600..1_100).contains(&meta.epoch), "{unknown}: {}", meta.epoch);
    }
}

/// It comes back every few seconds, and one line for it is enough.
#[tokio::test(start_paused = true)]
async fn the_log_names_it_once() {
    let (lines, _guard) = Lines::of(Level::WARN);
    let rig = Rig::new();
    an_hour_of_a_worker(&rig, written_elsewhere(schedule(), "Europe/Berlin", "Mars/Olympus")).await;
    let line = lines.only("this program cannot read a job of the library's own");
    assert!(line.contains("job=a") && line.contains("Mars/Olympus"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_another_build_can_read_is_put_back_and_never_ended() {
    let rig = Rig::new();
    let meta = an_hour_of_a_worker(&rig, operation()).await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
}
