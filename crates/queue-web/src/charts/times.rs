//! How long jobs waited and ran, over time.

use super::{Chart, LegendEntry, drawing::Drawing, flow::along};
use queue_core::{
    Timestamp,
    series::{TimeHistogram, WorkCounts},
};
use queue_view::words::{length, moment};
use std::time::Duration;

/// The percentiles, each with the class of its line.
const PERCENTILES: [(u8, &str); 3] = [(50, "l-half"), (95, "l-most"), (99, "l-nearly")];
const HEAD: [&str; 4] = ["From", "p50", "p95", "p99"];

/// Percentiles of times in columns of time, on a logarithmic axis.
pub(crate) fn times(
    id: &'static str,
    title: &str,
    columns: &[(Timestamp, WorkCounts)],
    of: fn(&WorkCounts) -> &TimeHistogram,
    now: Timestamp,
) -> Chart {
    let found = |percent: u8| -> Vec<Option<Duration>> {
        columns.iter().map(|(_, counts)| of(counts).percentile(percent)).collect()
    };
    let lines = PERCENTILES.map(|(percent, class)| (class, found(percent)));
    let all = lines.iter().flat_map(|(_, times)| times.iter().flatten().copied());
    let (low, high) = decades(all);
    let mut drawing = Drawing::new().grid((high - low).unsigned_abs() as usize);
    for (class, times) in &lines {
        let points: Vec<Option<f64>> = times
            .iter()
            .map(|time| time.map(|time| (exponent(time) - f64::from(low)) / f64::from(high - low)))
            .collect();
        drawing.line(class, &points);
    }
    let mut whole = TimeHistogram::default();
    for (_, counts) in columns {
        whole.add(of(counts));
    }
    let legend = PERCENTILES.map(|(percent, class)| LegendEntry {
        class,
        words: format!("p{percent}: {}", whole.percentile(percent).map_or_else(|| "–".to_owned(), length)),
    });
    let row = |(at, counts): &(Timestamp, WorkCounts)| {
        let shown =
            PERCENTILES.map(|(percent, _)| of(counts).percentile(percent).map_or_else(String::new, length));
        [moment(*at, now).absolute].into_iter().chain(shown).collect()
    };
    Chart {
        id,
        title: title.to_owned(),
        summary: "p50, p95 and p99, on a logarithmic axis.".to_owned(),
        upward: (low..=high).rev().map(|decade| round(&length(of_exponent(decade)))).collect(),
        along: along(columns, now),
        drawing: drawing.done(),
        head: HEAD.into(),
        rows: columns.iter().rev().filter(|(_, counts)| of(counts).count() > 0).map(row).collect(),
        legend: legend.into(),
    }
}

/// The powers of ten, in milliseconds, between which all times are.
fn decades(times: impl Iterator<Item = Duration>) -> (i32, i32) {
    let exponents: Vec<f64> = times.map(exponent).collect();
    let low = exponents.iter().copied().fold(f64::INFINITY, f64::min);
    let high = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return (0, 3);
    }
    let low = low.floor() as i32;
    (low, (high.ceil() as i32).max(low + 1))
}

/// A power of ten without the digits behind it.
fn round(words: &str) -> String {
    words.replace(".00", "").replace(".0", "")
}

fn exponent(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).max(1e-3).log10()
}

fn of_exponent(decade: i32) -> Duration {
    Duration::from_secs_f64(10_f64.powi(decade.min(12)) / 1e3)
}
