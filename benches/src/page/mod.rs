//! Writes docs/BENCHMARKS.md from results that were kept: words from a template, and every figure
//! from a measurement.

mod backlog;
mod caption;
mod costs;
mod defaults;
mod floor_of;
mod number;
mod runs;
mod soak;
mod summary;
mod tables;
mod template;

pub(crate) use soak::memory_grew;

use crate::{measurement::Measurement, results::Results, scenario::Scenario};
use anyhow::Context;
use clap::ValueEnum;
use std::{fs, path::PathBuf};
use summary::Summary;

/// From where to where.
#[derive(Debug, clap::Args)]
pub(crate) struct Places {
    /// The folder of results
    #[arg(long)]
    results: PathBuf,
    /// Another one, of the commit with which processor times are compared
    #[arg(long)]
    before: Option<PathBuf>,
    /// The words, with a name in double braces where figures belong
    #[arg(long)]
    template: PathBuf,
    /// The page to write
    #[arg(long)]
    page: PathBuf,
}

pub(crate) fn write(places: &Places) -> anyhow::Result<()> {
    let template = fs::read_to_string(&places.template)
        .with_context(|| format!("cannot read {}", places.template.display()))?;
    let summary = Summary::of(&Results::load(&places.results)?);
    let before = places.before.as_deref().map(Results::load).transpose()?.unwrap_or_default();
    let sections = sections(&summary, &Summary::of(&before));
    Ok(fs::write(&places.page, template::fill(&template, &sections)?)?)
}

/// What was just measured, for the terminal.
pub(crate) fn tables(measured: &[Measurement]) -> String {
    let summary = Summary::of(&Results { runs: Vec::new(), rows: measured.to_vec() });
    let all: Vec<Scenario> = Scenario::value_variants().to_vec();
    [
        tables::rates(&summary, &all),
        tables::latencies(&summary, &all),
        tables::bytes(&summary),
        costs::of(&summary, &Summary::default()),
        soak::of(&summary),
    ]
    .join("\n")
}

/// The figures of the page by the names that the template has for them.
fn sections(summary: &Summary, before: &Summary) -> Vec<(String, String)> {
    use Scenario as S;
    let both = |scenarios: &[Scenario]| {
        let tables = [tables::rates(summary, scenarios), tables::latencies(summary, scenarios)];
        let tables: Vec<String> = tables.into_iter().filter(|table| !table.is_empty()).collect();
        tables.join("\n") + &caption::of(summary, scenarios)
    };
    let sections = [
        ("runs", runs::of(summary)),
        ("costs", costs::of(summary, before)),
        ("before", runs::of(before)),
        ("floor-names", floor_of::named()),
        ("defaults", defaults::of(summary)),
        ("backlog", backlog::of(summary)),
        ("enqueue", both(&[S::EnqueueSeq, S::EnqueueC64, S::EnqueueBatch])),
        ("drain", both(&[S::Drain, S::DrainRemoved, S::Sustained])),
        ("latency", both(&[S::Pickup, S::Call, S::CallC50, S::Delayed])),
        ("depth", both(&[S::Depth])),
        ("listing", both(&[S::Listing])),
        ("consumers", both(&[S::Consumers])),
        ("payload", both(&[S::Payload])),
        ("footprint", tables::bytes(summary) + &caption::of(summary, &[S::Footprint])),
        ("floors", both(&[S::FloorWrite, S::FloorEnqueue, S::FloorDrain, S::FloorCycle])),
        ("soak", soak::of(summary) + &caption::of(summary, &[S::Soak])),
    ];
    sections.map(|(name, text)| (name.to_owned(), text)).to_vec()
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
