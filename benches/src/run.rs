//! The circumstances of a run: date, commit, machine, versions and settings.

use crate::{
    engine::{self, Engine},
    machine::{self, Machine},
    scenario::worker::DEFAULTS,
    store::StoreKind,
};
use serde::{Deserialize, Serialize};

/// Under which circumstances measurements of one store were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchRun {
    /// The store and when it began, in UTC.
    pub(crate) id: String,
    pub(crate) store: StoreKind,
    pub(crate) date: String,
    /// The commit that was measured; `+` behind it if files had changed since.
    pub(crate) commit: String,
    pub(crate) machine: Machine,
    pub(crate) rustc: String,
    pub(crate) engine: Engine,
    /// The settings of the worker where a row says nothing else.
    pub(crate) worker: String,
    pub(crate) rounds: usize,
    /// What the usual number of jobs was divided by.
    pub(crate) divide: usize,
}

impl BenchRun {
    /// Looks at the machine, the work tree and the store.
    pub(crate) async fn begin(store: StoreKind, rounds: usize, divide: usize) -> anyhow::Result<Self> {
        let date = machine::said_by("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]);
        Ok(Self {
            id: format!("{}@{date}", store.name()),
            store,
            date,
            commit: commit(),
            machine: Machine::look(),
            rustc: machine::said_by("rustc", &["--version"]),
            engine: engine::describe(store).await?,
            worker: DEFAULTS.to_owned(),
            rounds,
            divide,
        })
    }
}

/// What measurements leave behind changes nothing that is measured.
fn commit() -> String {
    let commit = machine::said_by("git", &["rev-parse", "--short=12", "HEAD"]);
    let changed = machine::said_by("git", &["status", "--porcelain", "--", ":/crates", ":/benches/src"]);
    if changed.is_empty() { commit } else { format!("{commit}+") }
}
