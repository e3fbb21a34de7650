//! The folder of results: one file of JSON lines for each store, read, merged with new rows and
//! written.

use crate::{measurement::Measurement, run::BenchRun, scenario::Scenario, store::StoreKind};
use anyhow::Context;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fs, path::Path};

/// What was measured, raw: for each store a file of JSON lines, of which each is a run or a figure
/// of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Results {
    pub(crate) runs: Vec<BenchRun>,
    pub(crate) rows: Vec<Measurement>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ResultLine {
    Run(BenchRun),
    Row(Measurement),
}

impl Results {
    /// The results of every store that has any.
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Self> {
        let mut all = Self::default();
        for store in StoreKind::value_variants() {
            let of_one = Self::load_store(folder, *store)?;
            all.runs.extend(of_one.runs);
            all.rows.extend(of_one.rows);
        }
        Ok(all)
    }

    /// The results of one store; none if there is no file.
    pub(crate) fn load_store(folder: &Path, store: StoreKind) -> anyhow::Result<Self> {
        let path = folder.join(format!("{}.jsonl", store.name()));
        let text = if path.exists() { fs::read_to_string(&path)? } else { String::new() };
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut results = Self::default();
        for (index, line) in text.lines().enumerate() {
            match serde_json::from_str(line).with_context(|| format!("line {}", index + 1))? {
                ResultLine::Run(run) => results.runs.push(run),
                ResultLine::Row(row) => results.rows.push(row),
            }
        }
        Ok(results)
    }

    pub(crate) fn save_store(&self, folder: &Path, store: StoreKind) -> anyhow::Result<()> {
        let runs = self.runs.iter().filter(|run| run.store == store).cloned().map(ResultLine::Run);
        let rows = self.rows.iter().filter(|row| row.store == store).cloned().map(ResultLine::Row);
        let mut text = String::new();
        for line in runs.chain(rows) {
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        fs::create_dir_all(folder)?;
        let (path, draft) = (folder.join(format!("{}.jsonl", store.name())), folder.join("draft"));
        fs::write(&draft, text)?;
        Ok(fs::rename(draft, path)?)
    }

    /// Takes in rows of a run. The rows that they replace go: the same scenario of the same store,
    /// with any setting. The floors of a run stay as long as anything is compared with them.
    pub(crate) fn merge(&mut self, run: &BenchRun, rows: &[Measurement]) {
        let scenarios: BTreeSet<Scenario> = rows.iter().map(|row| row.scenario).collect();
        let is_replaced = |row: &Measurement| {
            row.store == run.store
                && scenarios.contains(&row.scenario)
                && (!row.scenario.is_floor() || row.run == run.id)
        };
        self.rows.retain(|row| !is_replaced(row));
        if !self.runs.iter().any(|known| known.id == run.id) {
            self.runs.push(run.clone());
        }
        self.rows.extend(rows.iter().cloned());
        self.forget_unused(&run.id);
    }

    fn forget_unused(&mut self, present: &str) {
        let compared = self.rows.iter().filter(|row| !row.scenario.is_floor());
        let used: BTreeSet<String> =
            compared.map(|row| row.run.clone()).chain([present.to_owned()]).collect();
        self.runs.retain(|run| used.contains(&run.id));
        self.rows.retain(|row| used.contains(&row.run));
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
