//! The verdict, as a pure function of what the store and the logs say.

use super::{
    document::Document,
    ledger::{Run, Runs},
    logbook::Step,
    victim::Victim,
};
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// Everything that is known in the end.
#[derive(Debug)]
pub(super) struct Story<'a> {
    /// What the store acknowledged.
    pub(super) accepted: &'a [Document],
    /// What the store has, by id.
    pub(super) found: &'a HashMap<String, Found>,
    /// What the workers wrote down.
    pub(super) runs: &'a Runs,
    pub(super) victim: Victim,
    pub(super) took: Duration,
}

/// A job as the store has it in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) is_completed: bool,
    /// Leases that lapsed.
    pub(super) stalls: u32,
    pub(super) result: Option<String>,
}

/// The verdict. The lists of ids are what went wrong.
#[derive(Debug)]
pub(super) struct Audit {
    pub(super) accepted: usize,
    pub(super) completed: usize,
    /// Acknowledged, and not completed.
    pub(super) lost: Vec<String>,
    /// Completed, with another result than a direct computation.
    pub(super) wrong: Vec<String>,
    /// Run more often than there are reasons for, or completed without a run, or run without having
    /// been enqueued.
    pub(super) unexplained: Vec<String>,
    /// Run more than once, by reason.
    pub(super) again: Again,
    pub(super) victim: Victim,
    /// From the kill until the last job of the dead worker had started again; `None` if one never
    /// did.
    pub(super) recovery: Option<Duration>,
    pub(super) took: Duration,
}

/// How many jobs ran more than once, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Again {
    /// The killed worker held them.
    pub(super) killed: usize,
    /// They failed their first attempt, on purpose.
    pub(super) failed: usize,
    /// Their lease lapsed although their worker lived: the machine was too slow for so short a
    /// lease.
    pub(super) lapsed: usize,
}

/// Why a job has as many runs as it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    RanOnce,
    Killed,
    Failed,
    Lapsed,
    None,
}

impl Audit {
    /// True if the demo proves what it promises.
    pub(super) fn is_proof(&self) -> bool {
        let faults = [&self.lost, &self.wrong, &self.unexplained];
        faults.iter().all(|ids| ids.is_empty()) && self.victim.mid_work > 0 && self.recovery.is_some()
    }

    fn explain(&mut self, id: &str, reason: Reason) {
        match reason {
            Reason::RanOnce => {}
            Reason::Killed => self.again.killed += 1,
            Reason::Failed => self.again.failed += 1,
            Reason::Lapsed => self.again.lapsed += 1,
            Reason::None => self.unexplained.push(id.to_owned()),
        }
    }
}

pub(super) fn audit(story: Story<'_>) -> Audit {
    let Story { accepted, found, runs, victim, took } = story;
    let recovery = recovery(&victim, runs, found);
    let mut audit = Audit {
        accepted: accepted.len(),
        completed: 0,
        lost: Vec::new(),
        wrong: Vec::new(),
        unexplained: strangers(accepted, runs),
        again: Again::default(),
        victim,
        recovery,
        took,
    };
    for document in accepted {
        let id = document.id();
        let Some(found) = found.get(&id).filter(|found| found.is_completed) else {
            audit.lost.push(id);
            continue;
        };
        audit.completed += 1;
        if found.result.as_ref() != Some(&document.digest()) {
            audit.wrong.push(id.clone());
        }
        let reason = reason(runs.of(&id), found.stalls, audit.victim.held.contains(&id), audit.victim.worker);
        audit.explain(&id, reason);
    }
    audit
}

/// One run is due anyway, one more for each failure on purpose, and one more for each lease that
/// lapsed.
fn reason(runs: &[Run], stalls: u32, was_held: bool, victim: usize) -> Reason {
    let failed = runs.iter().filter(|run| run.ended == Some(Step::Fail)).count();
    let due = 1 + failed + stalls as usize;
    match runs.len() {
        0 => Reason::None,
        1 => Reason::RanOnce,
        count if count > due => Reason::None,
        _ if was_held && runs.iter().any(|run| run.worker == victim) => Reason::Killed,
        count if count <= 1 + failed => Reason::Failed,
        _ => Reason::Lapsed,
    }
}

/// A job that the dead worker had ended need not start again: its outcome may have been on its way
/// to a server, which stored it after the death.
fn recovery(victim: &Victim, runs: &Runs, found: &HashMap<String, Found>) -> Option<Duration> {
    let arrived = |id: &str| {
        let ended = |run: &Run| run.worker == victim.worker && run.ended == Some(Step::End);
        found.get(id).is_some_and(|found| found.is_completed && found.stalls == 0)
            && runs.of(id).iter().any(ended)
    };
    let back = victim.held.iter().filter(|id| !arrived(id)).map(|id| {
        let takes_over = |run: &&Run| run.worker != victim.worker && run.started_at >= victim.killed_at;
        let run = runs.of(id).iter().find(takes_over)?;
        Some(run.started_at.since(victim.killed_at))
    });
    back.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// Jobs that ran without having been enqueued.
fn strangers(accepted: &[Document], runs: &Runs) -> Vec<String> {
    let accepted: HashSet<String> = accepted.iter().map(|document| document.id()).collect();
    runs.ids().filter(|id| !accepted.contains(*id)).map(str::to_owned).collect()
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
