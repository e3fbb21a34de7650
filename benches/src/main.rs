//! Measures scenario by store and prints one JSON line per measurement, then a table of medians.
//!
//! Figures count durable completions in the store, not handler calls. Rates of one run compare with each other; between
//! machines, and between runs of a busy one, they do not.

mod measurement;
mod scenario;
mod store;
mod table;

use clap::Parser;
use measurement::Measurement;
use scenario::Scenario;
use store::StoreKind;

/// How fast the stores are on this machine.
#[derive(Debug, Parser)]
struct Args {
    /// Scenarios to run; all if none is named.
    #[arg(long, value_enum)]
    scenario: Vec<Scenario>,
    /// Stores to run on; all if none is named.
    #[arg(long, value_enum)]
    store: Vec<StoreKind>,
    /// Rounds of which the median is shown.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Divides the number of jobs, for a quick look.
    #[arg(long, default_value_t = 1)]
    divide: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let mut measured = Vec::new();
    for store in chosen(&args.store) {
        for scenario in chosen(&args.scenario) {
            for round in 0..args.rounds {
                let measurement = measure(scenario, store, round, args.divide.max(1)).await?;
                println!("{}", serde_json::to_string(&measurement)?);
                measured.push(measurement);
            }
        }
    }
    print!("{}", table::medians(&measured));
    Ok(())
}

async fn measure(
    scenario: Scenario,
    kind: StoreKind,
    round: usize,
    divide: usize,
) -> anyhow::Result<Measurement> {
    let store = store::open(kind).await?;
    let jobs = (scenario.jobs(kind) / divide).max(100);
    let elapsed = scenario.run(store.storage.clone(), jobs).await?;
    store.storage.close().await?;
    Ok(Measurement::new(scenario, kind, round, jobs, elapsed))
}

fn chosen<T: clap::ValueEnum + Clone>(named: &[T]) -> Vec<T> {
    if named.is_empty() { T::value_variants().to_vec() } else { named.to_vec() }
}
