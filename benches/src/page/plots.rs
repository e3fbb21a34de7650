//! Which plots there are.

use super::{
    backlog,
    bars::Bars,
    defaults,
    floor_of::of_rate,
    lines::Lines,
    number::{ms, ms_of_us, whole},
    summary::{Cell, Summary},
};
use crate::{
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use clap::ValueEnum;

/// A picture in a file of its own.
pub(super) struct Plot {
    /// Of the file, and of its place in the template behind `plot-`.
    pub(super) name: &'static str,
    /// Nothing where nothing was measured.
    pub(super) svg: Option<String>,
}

pub(super) fn all(summary: &Summary) -> anyhow::Result<Vec<Plot>> {
    let plots = [
        ("enqueue", enqueue(summary).draw()?),
        ("drain", drain(summary).draw()?),
        ("latency", latency(summary).draw()?),
        ("backlog", cost(summary).draw()?),
        ("soak", memory(summary).draw()?),
    ];
    Ok(plots.into_iter().map(|(name, svg)| Plot { name, svg }).collect())
}

impl Plot {
    /// As a section of the page.
    pub(super) fn link(&self) -> (String, String) {
        let name = self.name;
        let link = self.svg.as_ref().map(|_| format!("![Plot: {name}](plots/{name}.svg)"));
        (format!("plot-{name}"), link.unwrap_or_default())
    }
}

fn enqueue(summary: &Summary) -> Bars<'static> {
    const SCENARIOS: [Scenario; 3] = [Scenario::EnqueueSeq, Scenario::EnqueueC64, Scenario::EnqueueBatch];
    let figures = |store| {
        let pairs =
            SCENARIOS.map(|scenario| [rate(summary, store, scenario), floor(summary, store, scenario)]);
        pairs.concat()
    };
    Bars {
        title: "Enqueue, jobs a second, beside the floor of each",
        series: &["one by one", "floor", "64 at once", "floor", "1000 a call", "floor"],
        groups: groups(figures),
        show: whole,
    }
}

fn drain(summary: &Summary) -> Bars<'static> {
    let figures = |store| {
        let tuned = defaults::best(summary, store).map(|(_, rate)| rate);
        let default = rate(summary, store, Scenario::Drain);
        let removed = rate(summary, store, Scenario::DrainRemoved);
        vec![default, removed, tuned, floor(summary, store, Scenario::Drain)]
    };
    Bars {
        title: "Drain, jobs a second, beside the floor",
        series: &["results kept", "results removed", "the best setting", "floor"],
        groups: groups(figures),
        show: whole,
    }
}

fn latency(summary: &Summary) -> Bars<'static> {
    let p50 = |store, scenario| {
        let latency = summary.get(store, scenario, Setting::Default).and_then(Cell::latency)?;
        Some(ms_of_us(latency.p50_us))
    };
    let figures = |store| {
        [Scenario::Pickup, Scenario::Call, Scenario::CallC50, Scenario::FloorWrite]
            .map(|scenario| p50(store, scenario))
            .to_vec()
    };
    Bars {
        title: "Median in milliseconds, beside one durable write",
        series: &["pickup", "call", "call of 50 callers", "floor: a write"],
        groups: groups(figures),
        show: ms,
    }
}

fn cost(summary: &Summary) -> Lines<'static> {
    let lines = StoreKind::value_variants()
        .iter()
        .map(|store| (store.to_string(), backlog::costs_us(summary, *store)))
        .filter(|(_, points)| !points.is_empty());
    Lines {
        title: "Cost of a job with others behind it",
        x: "jobs that wait",
        y: "microseconds a job",
        named: lines.collect(),
    }
}

fn memory(summary: &Summary) -> Lines<'static> {
    let soaks = summary.of_scenarios(&[Scenario::Soak]).filter_map(|(key, cell)| {
        let (_, seconds, resident) = cell.memory()?;
        #[expect(clippy::cast_precision_loss, reason = "a plot needs no more than 53 bits")]
        let points = resident.iter().enumerate().map(|(index, bytes)| {
            let at = seconds * (index + 1) as f64 / resident.len() as f64;
            (at, *bytes as f64 / f64::from(1 << 20))
        });
        Some((key.store.to_string(), points.collect()))
    });
    Lines { title: "Memory of a long run", x: "seconds", y: "MiB", named: soaks.collect() }
}

fn groups(figures: impl Fn(StoreKind) -> Vec<Option<f64>>) -> Vec<(String, Vec<Option<f64>>)> {
    let groups = StoreKind::value_variants().iter().map(|store| (store.to_string(), figures(*store)));
    groups.filter(|(_, figures)| figures.iter().any(Option::is_some)).collect()
}

fn rate(summary: &Summary, store: StoreKind, scenario: Scenario) -> Option<f64> {
    summary.get(store, scenario, Setting::Default)?.per_second()
}

fn floor(summary: &Summary, store: StoreKind, scenario: Scenario) -> Option<f64> {
    let run = &summary.get(store, scenario, Setting::Default)?.run;
    let (scenario, setting) = of_rate(store, scenario)?;
    summary.floor(run, scenario, setting)?.per_second()
}
