use crate::{
    figures::{Figures, Latency},
    measurement::Measurement,
};
use std::{collections::BTreeMap, fmt::Write};

/// Markdown tables of medians over the rounds.
pub(crate) fn of(measured: &[Measurement]) -> String {
    let mut rows: BTreeMap<_, Vec<&Figures>> = BTreeMap::new();
    for it in measured {
        rows.entry((it.store, it.scenario, it.setting)).or_default().push(&it.figures);
    }
    let (mut rates, mut latencies, mut sizes) = (String::new(), String::new(), String::new());
    for ((store, scenario, setting), rounds) in rows {
        let name = format!("{store} | {scenario}{setting}");
        match rounds[0] {
            Figures::Rate { jobs, .. } => {
                let (low, median, high) = spread(&rounds, |it| {
                    if let Figures::Rate { per_second, .. } = it { *per_second } else { 0.0 }
                });
                writeln!(rates, "| {name} | {jobs} | {median:.0} | {low:.0} | {high:.0} |")
                    .expect("a string takes it");
            }
            Figures::Latency(_) => latencies.push_str(&latency_row(&name, &rounds)),
            Figures::Bytes { what, .. } => {
                let (_, median, _) =
                    spread(
                        &rounds,
                        |it| if let Figures::Bytes { per_job, .. } = it { *per_job } else { 0.0 },
                    );
                writeln!(sizes, "| {name} | {what} | {median:.0} |").expect("a string takes it");
            }
        }
    }
    let titled =
        |title: &str, rows: String| if rows.is_empty() { rows } else { format!("{title}\n{rows}\n") };
    titled(
        "| store | scenario | jobs | jobs/s, median | lowest | highest |\n|---|---|---:|---:|---:|---:|",
        rates,
    ) + &titled(
        "| store | scenario | count | p50 ms | p90 | p99 | max | per second |\n|---|---|---:|---:|---:|---:|---:|---:|",
        latencies,
    ) + &titled("| store | scenario | what | bytes a job |\n|---|---|---|---:|", sizes)
}

/// The round of the median p50, whole, so that its percentiles belong together.
fn latency_row(name: &str, rounds: &[&Figures]) -> String {
    let mut rounds: Vec<&Latency> =
        rounds.iter().filter_map(|it| if let Figures::Latency(it) = it { Some(it) } else { None }).collect();
    rounds.sort_by_key(|it| it.p50_us);
    let Latency { count, p50_us, p90_us, p99_us, max_us, per_second } = rounds[rounds.len() / 2];
    let [p50, p90, p99, max] =
        [p50_us, p90_us, p99_us, max_us].map(|us| format!("{}.{:03}", us / 1000, us % 1000));
    format!("| {name} | {count} | {p50} | {p90} | {p99} | {max} | {per_second:.0} |\n")
}

fn spread(rounds: &[&Figures], of: impl Fn(&Figures) -> f64) -> (f64, f64, f64) {
    let mut values: Vec<f64> = rounds.iter().map(|it| of(it)).collect();
    values.sort_by(f64::total_cmp);
    (values[0], values[values.len() / 2], values[values.len() - 1])
}
