//! What an application has: the job, its schedule, and the worker.

use crate::{Result, file_clock::FileClock};
use queue::{
    JobOptions, Queue, SqliteOptions, SqliteStorage,
    schedules::{Missed, Schedule, ScheduleError, Tick, Timing},
    worker::{JobError, WorkerEvent},
};
use serde::{Deserialize, Serialize};
use std::{path::Path, sync::Arc, time::Duration};

/// A clock in a file sends no hint when it moves, so a worker looks often.
const LOOK: Duration = Duration::from_millis(20);
/// Nights that are made up for; after more than a week away the newest seven are.
const NIGHTS_MAX: usize = 7;
/// How long one can look up that a night's report was made.
const KEPT: Duration = Duration::from_hours(30 * 24);

#[derive(Serialize, Deserialize)]
pub(crate) struct Report {
    /// The midnight that it is for, whenever it is made.
    night: Tick,
}

/// Each night has figures of its own, so each that was missed is made up for. `Missed::Latest`
/// would be for a report on how things stand, where the newest is enough, and the default,
/// `Missed::Skip`, for one that is of no use in the morning.
fn nightly() -> Result<Schedule<Report>, ScheduleError> {
    let at_midnight = Timing::cron("0 0 * * *", "UTC")?;
    let nightly = Schedule::new("nightly", at_midnight, Report { night: Tick::HERE });
    Ok(nightly.missed(Missed::All { max: NIGHTS_MAX }).options(JobOptions::new().keep_completed(KEPT)))
}

/// The queue of a place. It opens the store there.
pub(crate) async fn queue(place: &Path) -> Result<Queue<Report>> {
    let options = SqliteOptions::new(place.join("jobs.db")).clock(Arc::new(FileClock::open(place)));
    let store = SqliteStorage::open(options).await?;
    Ok(Queue::new(Arc::new(store), "reports")?)
}

/// What the worker's process does. It declares its schedules at each start; one that is there
/// already goes on where it stood.
pub(crate) async fn work(place: &Path) -> Result {
    let reports = queue(place).await?;
    reports.schedules().declare([nightly()?]).await?;
    let worker = reports.work_with(|report: Report, _| async move {
        make(&report);
        Ok::<_, JobError>(())
    });
    let worker = worker.poll_interval(LOOK).on_event(tell).build()?;
    println!("ready");
    worker.run().await;
    Ok(())
}

fn make(report: &Report) {
    println!("the report for {}", minute(report.night));
}

/// Printed once the store has it: a worker that is killed from here on makes this report no second
/// time.
fn tell(event: &WorkerEvent) {
    if let WorkerEvent::Completed(_) = event {
        println!("done");
    }
}

/// As people write a minute.
pub(crate) fn minute(tick: Tick) -> String {
    let mut text = tick.to_string().replace('T', " ");
    text.truncate("2026-11-25 00:00".len());
    text
}
