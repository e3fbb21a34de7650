use crate::measurement::Measurement;
use std::{collections::BTreeMap, fmt::Write};

/// A Markdown table of medians, with the lowest and highest round.
pub(crate) fn medians(measured: &[Measurement]) -> String {
    let mut rates: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for it in measured {
        rates.entry((it.store, it.scenario, it.jobs)).or_default().push(it.jobs_per_second);
    }
    let mut table = "| store | scenario | jobs | jobs/s, median | lowest | highest |\n".to_owned();
    table.push_str("|---|---|---:|---:|---:|---:|\n");
    for ((store, scenario, jobs), mut rates) in rates {
        rates.sort_by(f64::total_cmp);
        let (lowest, median, highest) = (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
        writeln!(table, "| {store} | {scenario} | {jobs} | {median:.0} | {lowest:.0} | {highest:.0} |")
            .expect("writing to a string never fails");
    }
    table
}
