//! How much is measured, and where it goes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::names::{Store, Words};
use crate::repo::Repo;

/// What `--quick` shows, unless something is named.
const QUICK: &[&str] =
    &["enqueue_seq", "enqueue_c64", "enqueue_batch", "drain", "pickup", "call", "call_c50"];
const ROUNDS: u32 = 3;
const QUICK_DIVIDE: u32 = 4;

pub(super) struct Plan {
    scenarios: Vec<String>,
    rounds: u32,
    divide: u32,
    results: PathBuf,
    /// Whether results of before go first.
    starts_afresh: bool,
    template: PathBuf,
    pub(super) page: PathBuf,
    plots: PathBuf,
}

impl Plan {
    /// A quick look goes below the target folder: one round must not replace the medians of
    /// several.
    pub(super) fn of(
        repo: &Repo,
        is_quick: bool,
        rounds: Option<u32>,
        divide: Option<u32>,
        words: &Words,
    ) -> Self {
        let quick: Vec<String> = QUICK.iter().map(|name| (*name).to_owned()).collect();
        let docs = repo.root().join("docs");
        let folder = repo.target().join("bench/quick");
        let scenarios = words.scenarios.clone();
        Self {
            scenarios: if is_quick && scenarios.is_empty() { quick } else { scenarios },
            rounds: if is_quick { 1 } else { rounds.unwrap_or(ROUNDS) },
            divide: if is_quick { QUICK_DIVIDE } else { divide.unwrap_or(1) },
            results: if is_quick { folder.join("results") } else { repo.root().join("benches/results") },
            starts_afresh: is_quick,
            template: repo.root().join("benches/BENCHMARKS.md.in"),
            page: if is_quick { folder.join("BENCHMARKS.md") } else { docs.join("BENCHMARKS.md") },
            plots: if is_quick { folder.join("plots") } else { docs.join("plots") },
        }
    }

    pub(super) fn prepare(&self) -> Result<()> {
        if self.starts_afresh && self.results.exists() {
            fs::remove_dir_all(&self.results)
                .with_context(|| format!("cannot remove {}", self.results.display()))?;
        }
        fs::create_dir_all(&self.results).with_context(|| format!("cannot create {}", self.results.display()))
    }

    pub(super) fn measure<'c>(&self, command: &'c mut Command, store: Store) -> &'c mut Command {
        let [rounds, divide] = [self.rounds, self.divide].map(|number| number.to_string());
        command.args(["--store", store.name, "--rounds", &rounds, "--divide", &divide]);
        for scenario in &self.scenarios {
            command.args(["--scenario", scenario]);
        }
        command.arg("--keep").arg(&self.results)
    }

    pub(super) fn page<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.arg("page").arg("--results").arg(&self.results).arg("--template").arg(&self.template);
        command.arg("--page").arg(&self.page).arg("--plots").arg(&self.plots)
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, Plan, QUICK, Words};
    use crate::bench::names::STORES;
    use crate::{command, repo::Repo};

    fn line(is_quick: bool, words: &[&str]) -> String {
        let words = Words::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let plan = Plan::of(&Repo::find(), is_quick, None, None, &words);
        command::line(plan.measure(&mut Command::new("bench"), STORES[0]))
    }

    #[test]
    fn a_quick_look_is_kept_apart() {
        let quick = line(true, &[]);
        assert!(QUICK.iter().all(|scenario| quick.contains(scenario)), "{quick}");
        assert!(quick.contains("--rounds 1") && quick.contains("quick/results"), "{quick}");
        let full = line(false, &["drain"]);
        assert!(full.contains("--rounds 3 --divide 1 --scenario drain --keep"), "{full}");
        assert!(full.ends_with("benches/results"), "{full}");
    }
}
