//! A report for each night, and a worker that is killed over midnight:
//! `cargo run -p nightly-report`.
//!
//! The program starts itself a second time as the worker, kills that process with SIGKILL ten
//! minutes before midnight, and starts it again at ten past three. Nights pass in an instant, since
//! both read the time from a clock that is a file.
//!
//! [`reports`] is what an application has: the job, its schedule, the worker. The rest makes the
//! nights pass.

mod file_clock;
mod reports;
mod worker_process;

use file_clock::FileClock;
use queue::Clock;
use std::{env, error::Error, path::Path, time::Duration};
use worker_process::WorkerProcess;

type Result<T = (), E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
/// More records than there are nights.
const RECORDS_MAX: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    if let Some(place) = env::args_os().nth(1) {
        return reports::work(Path::new(&place)).await;
    }
    let place = tempfile::tempdir()?;
    let clock = FileClock::create(place.path())?;
    nights(place.path(), &clock).await?;
    what_is_there(place.path()).await
}

async fn nights(place: &Path, clock: &FileClock) -> Result {
    say(clock, "the worker starts");
    let mut worker = WorkerProcess::start(place).await?;
    clock.advance(2 * HOUR)?;
    say(clock, worker.next_report().await?);

    clock.advance(23 * HOUR + 50 * MINUTE)?;
    say(clock, "the worker is killed");
    worker.kill().await?;

    clock.advance(3 * HOUR + 20 * MINUTE)?;
    say(clock, "the worker starts again");
    let mut worker = WorkerProcess::start(place).await?;
    say(clock, worker.next_report().await?);

    clock.advance(20 * HOUR + 50 * MINUTE)?;
    say(clock, worker.next_report().await?);
    worker.kill().await
}

/// Which jobs there were, by the store alone.
async fn what_is_there(place: &Path) -> Result {
    let reports = reports::queue(place).await?;
    println!("in the store:");
    for job in reports.jobs().completed().limit(RECORDS_MAX).page().await?.jobs {
        println!("  {}, claimed {} time(s)", job.id, job.epoch);
    }
    Ok(())
}

fn say(clock: &FileClock, what: impl AsRef<str>) {
    println!("{}  {}", reports::minute(clock.now().into()), what.as_ref());
}
