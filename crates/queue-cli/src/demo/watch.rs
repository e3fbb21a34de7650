//! The loop that follows the worker processes until all jobs are done, and has one of the workers
//! killed.

use super::{
    display::{Display, Progress},
    fleet::Fleet,
    ledger::{Ledger, Runs},
    place::Place,
    victim::{Victim, kill_one},
};
use crate::{
    exit::{CliError, Exit},
    output::plural,
};
use queue::State;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the demo looks.
const TICK: Duration = Duration::from_millis(20);
/// A worker dies once so many percent of the jobs are done.
const KILL_AT_PERCENT: u64 = 30;
/// Without any change for so long the demo gives up.
const STUCK_MAX: Duration = Duration::from_mins(1);

/// Watches the workers until all is done, and kills one on the way.
pub(super) async fn watch(
    fleet: &mut Fleet,
    ledger: &mut Ledger,
    place: &Place,
    display: &Display,
) -> Result<Victim, CliError> {
    let mut victim: Option<Victim> = None;
    let (mut last, mut last_change) = (Progress::default(), Instant::now());
    while !fleet.is_done(victim.as_ref().map(|victim| victim.worker), place)? {
        let progress = look(ledger, place, victim.as_ref()).await?;
        display.show(progress);
        if progress != last {
            (last, last_change) = (progress, Instant::now());
        }
        if last_change.elapsed() > STUCK_MAX {
            return Err(stuck(progress));
        }
        if victim.is_none() && progress.done * 100 >= progress.total * KILL_AT_PERCENT {
            victim = kill_one(fleet, ledger, place).await?;
            if let Some(victim) = &victim {
                display.say(&epitaph(victim));
            }
        }
        sleep(TICK).await;
    }
    display.finish(look(ledger, place, victim.as_ref()).await?);
    victim.ok_or_else(|| {
        CliError::new(
            Exit::Negative,
            "all was done before a worker could be killed in mid-work; give more --jobs",
        )
    })
}

async fn look(ledger: &mut Ledger, place: &Place, victim: Option<&Victim>) -> Result<Progress, CliError> {
    let counts = place.jobs.counts().await?;
    let runs = ledger.read()?;
    Ok(Progress {
        total: counts.total(),
        done: counts.of(State::Completed),
        running: counts.of(State::Processing),
        retried: runs.failed() as u64,
        recovered: victim.map_or(0, |victim| recovered(victim, runs)),
    })
}

/// Jobs of the dead worker that another has started again.
fn recovered(victim: &Victim, runs: &Runs) -> u64 {
    let is_back = |id: &&String| runs.of(id).iter().any(|run| run.worker != victim.worker);
    victim.held.iter().filter(is_back).count() as u64
}

fn epitaph(victim: &Victim) -> String {
    let Victim { worker, pid, mid_work, .. } = victim;
    let held = plural(victim.held.len() as u64, "job");
    format!("killed worker {worker} (process {pid}) with SIGKILL: it held {held}, {mid_work} in mid-work")
}

fn stuck(progress: Progress) -> CliError {
    let Progress { done, total, .. } = progress;
    CliError::new(
        Exit::Negative,
        format!("nothing happened for {STUCK_MAX:?}, with {done} of {total} jobs done"),
    )
}
