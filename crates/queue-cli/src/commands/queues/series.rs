//! What workers counted in the last hour, as a table with small charts and as an object.

use crate::{
    exit::CliError,
    output::{self, Chart, Column, Table, length},
    session::Jobs,
};
use queue::{QueueSeries, SeriesReading, SlotLength, WorkCounts, WorkOutcome};
use serde_json::{Map, Value, json};
use std::{ops::Range, time::Duration};

/// What is charted, by the minute.
const HOUR: Duration = Duration::from_hours(1);
/// Minutes of the rates that say how it goes now.
pub(crate) const LATELY: u32 = 5;
/// Minutes of a column of the chart.
const CHART_STEP: usize = 2;
/// The percentiles that are shown.
const PERCENTILES: [u8; 3] = [50, 95, 99];

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
    table_of(&reading.series, &|minutes| reading.last(minutes), chart)
}

/// The table of a series; `last` limits it to that many complete minutes.
pub(crate) fn table_of(
    series: &QueueSeries,
    last: &impl Fn(u32) -> Range<i64>,
    chart: Chart,
) -> Option<Table> {
    if series.is_empty() {
        return None;
    }
    let slots = last(60);
    let steps = steps(series, slots.clone(), CHART_STEP);
    let of_rates = [WorkOutcome::Completed, WorkOutcome::Failing, WorkOutcome::Failed].map(|outcome| {
        let rate = |minutes| format!("{:.1}", series.per_minute(outcome, last(minutes)));
        let numbers: Vec<u64> = steps.iter().map(|step| step.of(outcome)).collect();
        vec![format!("{} a minute", outcome.as_str()), rate(LATELY), rate(60), chart.drawn(&numbers)]
    });
    let lately = series.total(last(LATELY));
    let hour = series.total(slots);
    let of_times = [("wait", times(WorkCounts::wait)), ("run", times(WorkCounts::run))].map(|(name, of)| {
        let numbers: Vec<u64> = steps.iter().map(|step| of(step, 95).map_or(0, millis)).collect();
        vec![format!("{name}, 50 / 95 / 99 %"), three(&of, &lately), three(&of, &hour), chart.drawn(&numbers)]
    });
    let columns = [
        Column::whole("WORK"),
        Column::whole("5 MIN"),
        Column::whole("1 HOUR"),
        Column::text("THE LAST HOUR, 2 MIN A COLUMN"),
    ];
    Some(output::table(columns, of_rates.into_iter().chain(of_times)))
}

/// The numbers of each column of a chart of these minutes, so many of them in one.
pub(crate) fn steps(series: &QueueSeries, minutes: Range<i64>, step: usize) -> Vec<WorkCounts> {
    let mut found = series.slots();
    let minutes: Vec<WorkCounts> = minutes.map(|slot| found.remove(&slot).unwrap_or_default()).collect();
    minutes.chunks(step).map(sum).collect()
}

/// How to read a percentile of one of the two histograms.
pub(crate) fn times(
    histogram: fn(&WorkCounts) -> &queue::TimeHistogram,
) -> impl Fn(&WorkCounts, u8) -> Option<Duration> {
    move |counts, percent| histogram(counts).percentile(percent)
}

/// Three percentiles in a cell.
pub(crate) fn three(of: &impl Fn(&WorkCounts, u8) -> Option<Duration>, counts: &WorkCounts) -> String {
    let shown = PERCENTILES.map(|percent| of(counts, percent).map_or_else(|| "-".to_owned(), length));
    shown.join(" / ")
}

fn sum(counts: &[WorkCounts]) -> WorkCounts {
    let mut sum = WorkCounts::default();
    for counts in counts {
        sum.add(counts);
    }
    sum
}

/// Everything for programs: each minute that has numbers, and each kind over the hour.
pub(crate) fn object(reading: &SeriesReading) -> Value {
    let length = reading.series.length();
    let minutes = reading.series.slots().into_iter().filter(|(slot, _)| reading.slots.contains(slot));
    let minutes = minutes.map(|(slot, counts)| {
        let mut object = numbers(&counts);
        object.insert("start_ms".to_owned(), json!(length.starts_at(slot).as_millis()));
        Value::from(object)
    });
    let kinds = reading.series.kinds(reading.slots.clone()).into_iter();
    let kinds = kinds.map(|(kind, counts)| {
        let mut object = numbers(&counts);
        object.insert("kind".to_owned(), json!(kind.as_str()));
        Value::from(object)
    });
    json!({
        "per_minute": { "last_5_min": rates(reading, reading.last(LATELY)), "last_hour": rates(reading, reading.last(60)) },
        "kinds": kinds.collect::<Value>(),
        "minutes": minutes.collect::<Value>(),
        "unreadable_entries": reading.unreadable,
    })
}

fn rates(reading: &SeriesReading, slots: Range<i64>) -> Value {
    let rate = |outcome: WorkOutcome| {
        (outcome.as_str().to_owned(), json!(reading.series.per_minute(outcome, slots.clone())))
    };
    WorkOutcome::ALL.into_iter().map(rate).collect::<Map<_, _>>().into()
}

fn numbers(counts: &WorkCounts) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(WorkOutcome::ALL.map(|outcome| (outcome.as_str().to_owned(), json!(counts.of(outcome)))));
    for (name, histogram) in [("wait", counts.wait()), ("run", counts.run())] {
        for percent in PERCENTILES {
            let time = histogram.percentile(percent).map(millis);
            object.insert(format!("{name}_p{percent}_ms"), json!(time));
        }
        object.insert(format!("{name}_buckets"), json!(histogram.buckets()));
    }
    object
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
