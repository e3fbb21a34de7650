//! What a job costs in processor time, now and before, on both sides of a store.

use super::{
    floor_of,
    number::{or_dash, us},
    summary::{Cell, Key, Summary},
};
use crate::scenario::{Scenario, Setting};

const SCENARIOS: &[Scenario] =
    &[Scenario::EnqueueSeq, Scenario::EnqueueC64, Scenario::EnqueueBatch, Scenario::Drain, Scenario::Call];
const SIDES: [&str; 2] = ["client", "server"];

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary, before: &Summary) -> String {
    let is_wanted = |key: &Key| key.setting.is_default() && key.part.as_deref() == Some(SIDES[0]);
    let rows = summary.of_scenarios(SCENARIOS).filter(|(key, _)| is_wanted(key)).map(|(key, cell)| {
        let now = sides(|side| cost(summary, key, side));
        let earlier = sides(|side| cost(before, key, side));
        let floor = floor_of::of_rate(key.store, key.scenario);
        let floor = sides(|side| floor_cost(summary, cell, floor?, side));
        format!("| {} | {} | {now} | {earlier} | {floor} |\n", key.store, key.scenario)
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| store | scenario | client, µs a job | server | before: client | server | floor: client | server |\n|---|---|---:|---:|---:|---:|---:|---:|\n{rows}"
    )
}

fn sides(cost: impl Fn(&'static str) -> Option<f64>) -> String {
    SIDES.map(|side| or_dash(cost(side), us)).join(" | ")
}

fn cost(summary: &Summary, key: &Key, side: &str) -> Option<f64> {
    let key = Key { part: Some(side.to_owned()), ..key.clone() };
    summary.cells.get(&key)?.cpu_us_per_job()
}

fn floor_cost(summary: &Summary, cell: &Cell, floor: (Scenario, Setting), side: &str) -> Option<f64> {
    summary.floor_part(&cell.run, floor, Some(side))?.cpu_us_per_job()
}
