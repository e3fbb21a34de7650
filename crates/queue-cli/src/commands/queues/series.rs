//! What workers counted in the last hour, as a table with small charts.

use crate::{
    exit::CliError,
    output::{self, Chart, Column, Table, length},
    session::Jobs,
};
use queue::{SeriesReading, SlotLength, TimeHistogram, WorkCounts, WorkOutcome, view::words::millis};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What is charted, by the minute.
const HOUR: Duration = Duration::from_hours(1);
/// Minutes of a column of the chart.
const CHART_STEP: usize = 2;
/// The percentiles that are shown.
const PERCENTILES: [u8; 3] = [50, 95, 99];

/// One of the histograms of what was counted.
type HistogramOf = fn(&WorkCounts) -> &TimeHistogram;

/// The last hour of a queue; `None` if the store keeps no series.
pub(crate) async fn last_hour(jobs: &Jobs) -> Result<Option<SeriesReading>, CliError> {
    if !jobs.storage().capabilities().series {
        return Ok(None);
    }
    Ok(Some(jobs.series(HOUR, SlotLength::Minute).await?))
}

/// Rates and percentiles of the last minutes and of the hour, each with a chart of the hour. `None`
/// if nothing was counted.
pub(crate) fn table(reading: &SeriesReading, chart: Chart) -> Option<Table> {
    if reading.series.is_empty() {
        return None;
    }
    let columns = reading.columns(reading.last(60), CHART_STEP);
    let drawn = |number: &dyn Fn(&WorkCounts) -> u64| {
        let numbers: Vec<u64> = columns.iter().map(|(_, counts)| number(counts)).collect();
        chart.drawn(&numbers)
    };
    let of_rates = [WorkOutcome::Completed, WorkOutcome::Failing, WorkOutcome::Failed].map(|outcome| {
        let rate = |minutes| format!("{:.1}", reading.per_minute(outcome, minutes));
        vec![
            format!("{} a minute", outcome.as_str()),
            rate(SeriesReading::LATELY),
            rate(60),
            drawn(&|counts| counts.of(outcome)),
        ]
    });
    let lately = reading.series.total(reading.last(SeriesReading::LATELY));
    let hour = reading.last_hour();
    let of_times = [("wait", WorkCounts::wait as HistogramOf), ("run", WorkCounts::run)].map(|(name, of)| {
        vec![
            format!("{name}, p50 / p95 / p99"),
            percentiles(of(&lately)),
            percentiles(of(&hour)),
            drawn(&|counts| of(counts).percentile(95).map_or(0, millis)),
        ]
    });
    let head = [
        Column::whole("WORK"),
        Column::whole("5 MIN"),
        Column::whole("1 HOUR"),
        Column::text("THE LAST HOUR, 2 MIN A COLUMN"),
    ];
    Some(output::table(head, of_rates.into_iter().chain(of_times)))
}

/// Three percentiles in a cell.
pub(crate) fn percentiles(of: &TimeHistogram) -> String {
    PERCENTILES.map(|percent| of.percentile(percent).map_or_else(|| "-".to_owned(), length)).join(" / ")
}

/// The attempts a minute by their outcome, lately and in the last hour.
pub(crate) fn rates(reading: &SeriesReading) -> Value {
    let over = |minutes| {
        let rate =
            |outcome: WorkOutcome| (outcome.as_str().to_owned(), json!(reading.per_minute(outcome, minutes)));
        WorkOutcome::ALL.into_iter().map(rate).collect::<Map<_, _>>()
    };
    json!({"last_5_min": over(SeriesReading::LATELY), "last_hour": over(60)})
}
