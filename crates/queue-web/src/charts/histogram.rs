//! How long the jobs of a kind ran, by buckets.

use super::{
    Chart,
    drawing::{Drawing, WIDTH},
};
use queue_core::series::TimeHistogram;
use queue_view::words::{length, number};

/// How often each length of time was met.
pub(crate) fn histogram(title: &str, times: &TimeHistogram) -> Chart {
    let buckets = times.buckets();
    let first = buckets.iter().position(|count| *count > 0).unwrap_or(0);
    let last = buckets.iter().rposition(|count| *count > 0).unwrap_or(first);
    let largest = buckets.iter().copied().max().unwrap_or(0).max(1);
    let mut drawing = Drawing::new().grid(2);
    let width = WIDTH / (last - first + 1) as f64;
    let mut rows = Vec::new();
    for (bucket, count) in buckets.iter().enumerate().take(last + 1).skip(first) {
        let words = format!("from {}", length(TimeHistogram::bound(bucket)));
        let share = *count as f64 / largest as f64;
        let told = format!("{words}: {count}");
        drawing.column(width * (bucket - first) as f64, width, &[("c-done", share)], &told);
        rows.push(vec![words, number(*count)]);
    }
    Chart {
        id: "histogram",
        title: title.to_owned(),
        summary: "How often each length of time was met.".to_owned(),
        legend: Vec::new(),
        upward: vec![number(largest), String::new(), "0".to_owned()],
        along: vec![length(TimeHistogram::bound(first)), length(TimeHistogram::bound(last))],
        drawing: drawing.done(),
        head: vec!["Time", "Jobs"],
        rows,
    }
}
