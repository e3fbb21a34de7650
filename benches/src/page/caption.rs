//! What stands under each table: machine, versions, durability and batch sizes.

use super::summary::Summary;
use crate::{run::BenchRun, scenario::Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary, scenarios: &[Scenario]) -> String {
    let runs: BTreeSet<&str> = summary.of_scenarios(scenarios).map(|(_, cell)| cell.run.as_str()).collect();
    let runs: Vec<&BenchRun> = runs.into_iter().filter_map(|id| summary.run(id)).collect();
    if runs.is_empty() {
        return String::new();
    }
    let machines: BTreeSet<String> = runs.iter().map(|run| machine(run)).collect();
    let workers: BTreeSet<&str> = runs.iter().map(|run| run.worker.as_str()).collect();
    let batches: BTreeMap<&str, Vec<String>> =
        scenarios.iter().fold(BTreeMap::new(), |mut batches, scenario| {
            batches.entry(scenario.batches()).or_default().push(scenario.to_string());
            batches
        });
    let batches: Vec<String> =
        batches.iter().map(|(batches, scenarios)| format!("{}: {batches}", scenarios.join(", "))).collect();
    format!(
        "\nOn {}. Worker: {}. Batches: {}. Stores: {}.\n",
        machines.into_iter().collect::<Vec<_>>().join("; "),
        workers.into_iter().collect::<Vec<_>>().join("; "),
        batches.join("; "),
        stores(&runs).join("; ")
    )
}

pub(super) fn machine(run: &BenchRun) -> String {
    let machine = &run.machine;
    let cores = machine.cores;
    let cpu = &machine.cpu;
    let memory = machine.memory_gib;
    let kernel = &machine.kernel;
    format!("{cores} cores of {cpu}, {memory} GiB, {kernel}, {}", short_rustc(run))
}

/// Without the commit and date of the compiler.
fn short_rustc(run: &BenchRun) -> String {
    run.rustc.split(" (").next().unwrap_or_default().to_owned()
}

/// Each once, though it may have had several runs.
fn stores(runs: &[&BenchRun]) -> Vec<String> {
    let told = runs
        .iter()
        .map(|run| (run.store, format!("{}: {}, {}", run.store, run.engine.version, run.engine.durability)));
    let told: BTreeSet<_> = told.collect();
    told.into_iter().map(|(_, text)| text).collect()
}
