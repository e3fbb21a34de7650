//! The attempts at each job, collected from the logs of all worker processes.

use super::logbook::{LogReader, Step};
use queue::Timestamp;
use std::{
    collections::{BTreeMap, HashSet},
    io,
};

/// Everything that all logs say.
#[derive(Debug)]
pub(super) struct Ledger {
    logs: Vec<LogReader>,
    runs: Runs,
}

/// The attempts at every job that was started.
#[derive(Debug, Default)]
pub(super) struct Runs {
    by_id: BTreeMap<String, Vec<Run>>,
}

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) worker: usize,
    pub(super) started_at: Timestamp,
    /// How it ended, if its worker lived to write that down.
    pub(super) ended: Option<Step>,
}

impl Ledger {
    pub(super) fn new(logs: Vec<LogReader>) -> Self {
        Self { logs, runs: Runs::default() }
    }

    /// Takes in what the workers wrote since the last call.
    pub(super) fn read(&mut self) -> io::Result<&Runs> {
        for (worker, log) in self.logs.iter_mut().enumerate() {
            for entry in log.fresh()? {
                self.runs.note(worker, entry.step, entry.at, entry.id);
            }
        }
        Ok(&self.runs)
    }

    pub(super) fn runs(&self) -> &Runs {
        &self.runs
    }
}

impl Runs {
    pub(super) fn note(&mut self, worker: usize, step: Step, at: Timestamp, id: String) {
        let runs = self.by_id.entry(id).or_default();
        if step == Step::Start {
            runs.push(Run { worker, started_at: at, ended: None });
        } else if let Some(run) = runs.iter_mut().rev().find(|run| run.worker == worker) {
            run.ended = Some(step);
        }
    }

    /// The attempts at a job, those of one worker in order.
    pub(super) fn of(&self, id: &str) -> &[Run] {
        self.by_id.get(id).map_or(&[], Vec::as_slice)
    }

    /// Jobs that a worker started and did not end.
    pub(super) fn open_of(&self, worker: usize) -> HashSet<&str> {
        let is_open = |run: &Run| run.worker == worker && run.ended.is_none();
        let open = self.by_id.iter().filter(|(_, runs)| runs.iter().any(is_open));
        open.map(|(id, _)| id.as_str()).collect()
    }

    /// Attempts that failed on purpose.
    pub(super) fn failed(&self) -> usize {
        self.by_id.values().flatten().filter(|run| run.ended == Some(Step::Fail)).count()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }
}
