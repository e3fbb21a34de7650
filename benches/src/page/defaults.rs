//! How much of what tuning reaches the defaults reach.

use super::{
    number::{percent, whole},
    summary::Summary,
};
use crate::{
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use clap::ValueEnum;

/// What the defaults shall reach of the best.
const GOAL: f64 = 0.6;

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary) -> String {
    let rows: String = StoreKind::value_variants().iter().filter_map(|store| row(summary, *store)).collect();
    if rows.is_empty() {
        return rows;
    }
    let goal = percent(GOAL);
    format!(
        "| store | default, jobs/s | the best setting | jobs/s | default reaches | goal {goal} |\n|---|---:|---|---:|---:|---|\n{rows}"
    )
}

fn row(summary: &Summary, store: StoreKind) -> Option<String> {
    let default = rate(summary, store, Setting::Default)?;
    let (best, tuned) = best(summary, store)?;
    let reached = default / tuned;
    let met = if default >= tuned * GOAL { "met" } else { "**missed**" };
    let [shown, tuned] = [default, tuned].map(whole);
    Some(format!("| {store} | {shown} | {best} | {tuned} | {} | {met} |\n", percent(reached)))
}

/// The setting of the drain, other than the default, that was fastest.
pub(super) fn best(summary: &Summary, store: StoreKind) -> Option<(Setting, f64)> {
    let drains = summary.of_scenarios(&[Scenario::Drain]).filter(|(key, _)| key.store == store);
    let tuned = drains.filter(|(key, _)| !key.setting.is_default());
    tuned
        .filter_map(|(key, cell)| Some((key.setting, cell.rate()?.median)))
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
}

fn rate(summary: &Summary, store: StoreKind, setting: Setting) -> Option<f64> {
    Some(summary.get(store, Scenario::Drain, setting)?.rate()?.median)
}
