//! What a backlog does to the cost of a job.

use super::summary::Summary;
use crate::{
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use clap::ValueEnum;
use std::fmt::Write;

/// Most that the cost may rise from the smallest to the largest backlog. In memory the caches of
/// the processor end.
const RISE_MAX: f64 = 1.5;
const RISE_MAX_MEMORY: f64 = 4.0;

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary) -> String {
    let mut rows = String::new();
    for store in StoreKind::value_variants() {
        let costs = costs_us(summary, *store);
        let (Some((_, first)), Some((_, last))) = (costs.first(), costs.last()) else { continue };
        let limit = if *store == StoreKind::Memory { RISE_MAX_MEMORY } else { RISE_MAX };
        let met = if last / first <= limit { "met" } else { "**missed**" };
        let shown: Vec<String> =
            costs.iter().map(|(backlog, cost)| format!("{cost:.1} at {backlog:.0}")).collect();
        writeln!(rows, "| {store} | {} | {:.2} | {limit} | {met} |", shown.join(", "), last / first)
            .expect("a string takes it");
    }
    if rows.is_empty() {
        return rows;
    }
    format!("| store | µs a job at a backlog | rises by | at most | goal |\n|---|---|---:|---:|---|\n{rows}")
}

/// Backlogs, and microseconds for each job that one worker drains in front of them.
pub(super) fn costs_us(summary: &Summary, store: StoreKind) -> Vec<(f64, f64)> {
    let depths = summary.of_scenarios(&[Scenario::Depth]).filter(|(key, _)| key.store == store);
    let cost = depths.filter_map(|(key, cell)| match key.setting {
        #[expect(clippy::cast_precision_loss, reason = "a backlog has less than 53 bits")]
        Setting::Backlog(backlog) => Some((backlog as f64, 1e6 / cell.rate()?.median)),
        _ => None,
    });
    cost.collect()
}
