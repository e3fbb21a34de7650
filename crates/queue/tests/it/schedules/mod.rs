//! Schedules, on a store whose clock the test moves.

mod changes;
mod edits;
mod faults;
mod jobs;
mod sizes;
mod ticks;
mod unreadable;

use queue::{
    ManualClock, MemoryStorage, Queue, Storage, StorageExt,
    schedules::{Schedule, Tick, Timing},
    worker::{JobError, Router},
};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const DAY: Duration = Duration::from_secs(24 * 3600);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) day: Tick,
    pub(super) of: String,
}

pub(super) fn report() -> Report {
    Report { day: Tick::HERE, of: "sales".to_owned() }
}

/// A memory store at the beginning of 2026, its clock, and a queue of reports.
pub(super) fn set_up() -> (Arc<ManualClock>, Queue<Report, String>) {
    let clock = Arc::new(ManualClock::default());
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
    (clock, Queue::new(storage, "reports").expect("a valid name"))
}

pub(super) fn hourly(payload: Report) -> Schedule<Report> {
    Schedule::new("hourly", Timing::every(HOUR).expect("an hour"), payload)
}

/// Handles everything that is due, and returns what ran.
pub(super) async fn run(queue: &Queue<Report, String>) -> Vec<(String, Report)> {
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

pub(super) fn ids(ran: &[(String, Report)]) -> Vec<&str> {
    ran.iter().map(|(id, _)| id.as_str()).collect()
}

pub(super) fn router() -> Router {
    let router = Router::new(());
    router.handle("default", |_: Report, _| async { Ok(String::new()) }).expect("the only handler")
}

/// Claims the schedule like a worker that is slow to handle it.
pub(super) async fn hold(reports: &Queue<Report, String>) -> queue::queue_core::ClaimedJob {
    use queue::queue_core::{ClaimRequest, Span};
    let (worker, lease) = (queue::WorkerId::from_static("slow"), Span::from_secs(60));
    let request = ClaimRequest::new(reports.name().clone(), worker, 1, lease, &queue::SystemRng);
    let mut claimed = reports.storage().claim(request).await.expect("claims");
    claimed.jobs.pop().expect("the schedule is due")
}

/// Handles the schedule, as that worker had to.
pub(super) async fn fire(reports: &Queue<Report, String>, claimed: queue::queue_core::ClaimedJob) {
    use queue::{
        queue_core::UnreadableWaits,
        worker::{ReservedJob, handle_reserved},
    };
    let payload = &claimed.record.body.as_ref().expect("claimed with its body").payload;
    let (meta, unreadable) = (&claimed.record.meta, &UnreadableWaits::default());
    let job = ReservedJob { meta, payload, token: claimed.token, unreadable };
    let handled = handle_reserved(&**reports.storage(), job).await.expect("handled");
    let policy = queue::Policy::default();
    reports.storage().settle(&claimed.record.meta, handled.event, &policy).await.expect("settled");
}
