//! The kill of a worker process that certainly holds jobs and works on some of them.

use super::{fleet::Fleet, ledger::Ledger, place::Place};
use crate::exit::CliError;
use queue::{Clock, SystemClock, Timestamp, WorkerId};
use rustix::process::Signal;
use std::collections::HashSet;

/// More leases than a worker of the demo can hold.
const LEASES_MAX: usize = 100;

/// A worker that was killed in mid-work, and what it left behind.
#[derive(Debug)]
pub(super) struct Victim {
    pub(super) worker: usize,
    pub(super) pid: u32,
    pub(super) killed_at: Timestamp,
    /// The jobs whose lease it held at its death.
    pub(super) held: HashSet<String>,
    /// Of those, the ones that it had started and not finished.
    pub(super) mid_work: usize,
}

/// Kills a worker that is in mid-work; `None` if none is at this moment.
///
/// The worker is stopped first, so that what is seen is still so when it dies: the store must say
/// that it holds leases, and its log that it started some of those jobs and did not end them. While
/// it is stopped, only the other writers of the store may wait for it, for the length of one look.
pub(super) async fn kill_one(
    fleet: &mut Fleet,
    ledger: &mut Ledger,
    place: &Place,
) -> Result<Option<Victim>, CliError> {
    for worker in 0..fleet.workers().len() {
        let process = &fleet.workers()[worker];
        process.signal(Signal::STOP)?;
        let (held, mid_work) = caught(worker, &process.id, ledger, place).await?;
        if mid_work == 0 {
            process.signal(Signal::CONT)?;
            continue;
        }
        let pid = process.pid;
        let killed_at = SystemClock.now();
        fleet.kill(worker).await?;
        return Ok(Some(Victim { worker, pid, killed_at, held, mid_work }));
    }
    Ok(None)
}

/// What a stopped worker holds, and how many of those jobs it is working on.
async fn caught(
    worker: usize,
    id: &WorkerId,
    ledger: &mut Ledger,
    place: &Place,
) -> Result<(HashSet<String>, usize), CliError> {
    let page = place.jobs.jobs().worker(id.as_str()).limit(LEASES_MAX).page().await?;
    let held: HashSet<String> = page.jobs.iter().map(|job| job.id.to_string()).collect();
    let open = ledger.read()?.open_of(worker);
    let mid_work = held.iter().filter(|id| open.contains(id.as_str())).count();
    Ok((held, mid_work))
}
