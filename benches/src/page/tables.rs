//! Markdown tables of medians over the rounds.

use super::{
    floor_of,
    number::{ms, ms_of_us, or_dash, percent, whole},
    summary::{Key, Summary},
};
use crate::{figures::Latency, scenario::Scenario};

/// Empty if nothing of it was measured.
pub(super) fn rates(summary: &Summary, scenarios: &[Scenario]) -> String {
    let rows = summary.of_scenarios(scenarios).filter_map(|(key, cell)| {
        let rate = cell.rate()?;
        let [median, low, high] = [rate.median, rate.low, rate.high].map(whole);
        #[expect(clippy::cast_precision_loss, reason = "people read no more than 53 bits")]
        let jobs = whole(rate.jobs as f64);
        let ratio = or_dash(floor_of::rate_ratio(summary, key, cell), percent);
        Some(format!("| {} | {jobs} | {median} | {low} | {high} | {ratio} |\n", name(key)))
    });
    titled(
        "| store | scenario | jobs | jobs/s, median | lowest | highest | of the floor |\n|---|---|---:|---:|---:|---:|---:|\n",
        rows.collect(),
    )
}

/// Empty if nothing of it was measured.
pub(super) fn latencies(summary: &Summary, scenarios: &[Scenario]) -> String {
    let rows = summary.of_scenarios(scenarios).filter_map(|(key, cell)| {
        let Latency { count, p50_us, p90_us, p99_us, max_us, per_second } = cell.latency()?;
        let [p50, p90, p99, max] = [p50_us, p90_us, p99_us, max_us].map(|us| ms(ms_of_us(*us)));
        let floor = floor_of::latency_ms(summary, key, cell);
        let ratio = or_dash(floor, |floor| format!("{:.1}", ms_of_us(*p50_us) / floor));
        let name = name(key);
        let per_second = whole(*per_second);
        Some(format!("| {name} | {count} | {p50} | {p90} | {p99} | {max} | {per_second} | {ratio} |\n"))
    });
    titled(
        "| store | scenario | count | p50 ms | p90 | p99 | max | per second | p50 in floors |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
        rows.collect(),
    )
}

/// Bytes for each job. Empty if nothing of it was measured.
pub(super) fn bytes(summary: &Summary) -> String {
    let rows = summary.cells.iter().filter_map(|(key, cell)| {
        let bytes = whole(cell.bytes_per_job()?);
        let part = key.part.as_deref().unwrap_or_default();
        Some(format!("| {} | {} | {part} | {bytes} |\n", key.store, key.setting))
    });
    titled("| store | job | where | bytes a job |\n|---|---|---|---:|\n", rows.collect())
}

fn titled(title: &str, rows: String) -> String {
    if rows.is_empty() { rows } else { format!("{title}{rows}") }
}

fn name(key: &Key) -> String {
    let mut name = format!("{} | {}", key.store, key.scenario);
    let (setting, part) = (key.setting.to_string(), key.part.clone().unwrap_or_default());
    for more in [setting, part].iter().filter(|more| !more.is_empty()) {
        name = format!("{name}, {more}");
    }
    name
}
