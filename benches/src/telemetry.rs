//! What metrics cost a job, in processor time of the process: the same work without them and with
//! them, in turns.

use crate::{
    bed::Bed,
    processor,
    scenario::{Setting, drain, enqueue, worker},
    stopwatch::Stopwatch,
    store::StoreKind,
};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use queue::{Storage, queue_core::Retention};
use queue_telemetry::{Metered, QueueMetrics};
use std::sync::Arc;

/// What to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct TelemetryArgs {
    /// The store
    #[arg(long, value_enum)]
    store: StoreKind,
    /// Turns without metrics, and with them
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Prints a row of a table in Markdown: medians of the turns.
pub(crate) async fn run(wanted: &TelemetryArgs) -> anyhow::Result<()> {
    // As an application has it: an SDK adds up what is recorded, and exports it once a minute.
    let provider =
        SdkMeterProvider::builder().with_periodic_exporter(InMemoryMetricExporter::default()).build();
    let metrics = QueueMetrics::new(&provider.meter("bench"));
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..wanted.rounds {
        without.push(turn(wanted.store, None).await?);
        with.push(turn(wanted.store, Some(&metrics)).await?);
    }
    let (without, with) = (median(without), median(with));
    let more = (with / without - 1.0) * 100.0;
    println!("| {} | {without:.1} us | {with:.1} us | {more:+.1} % |", wanted.store);
    Ok(())
}

/// Stores jobs, one a call, by 64 callers at once, and has one worker do them. Microseconds a job.
async fn turn(store: StoreKind, metrics: Option<&QueueMetrics>) -> anyhow::Result<f64> {
    let bed = Bed::open(store).await?;
    let storage: Arc<dyn Storage> = match metrics {
        Some(metrics) => Arc::new(Metered::new(bed.storage.clone(), metrics)),
        None => bed.storage.clone(),
    };
    let mut worker = worker::builder(storage.clone(), Setting::Default)?;
    if let Some(metrics) = metrics.cloned() {
        worker = worker.on_event(move |event| metrics.observe(event));
    }
    let worker = worker.until_empty().build()?;
    let (jobs, before) = (jobs(store), processor::time());
    enqueue::concurrent(storage, Stopwatch::without_server(), jobs as usize).await?;
    worker.run().await;
    let used = processor::time().saturating_sub(before);
    drain::ensure_drained(&*bed.storage, jobs as usize, Retention::default()).await?;
    bed.clear().await?;
    Ok(used.as_secs_f64() * 1e6 / f64::from(jobs))
}

/// So many that a turn uses a second or more: the kernel counts hundredths of one.
fn jobs(store: StoreKind) -> u32 {
    match store {
        StoreKind::Memory => 300_000,
        _ => 60_000,
    }
}

fn median(mut turns: Vec<f64>) -> f64 {
    turns.sort_by(f64::total_cmp);
    turns[turns.len() / 2]
}
