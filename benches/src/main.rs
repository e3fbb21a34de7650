//! Measures scenario by store and prints one JSON line per measurement, then tables of medians.
//!
//! Figures count durable completions in the store, not handler calls. Rates of one run compare with each other and with
//! the floor measured beside them; between machines, and between runs of a busy one, they do not.

mod clock;
mod figures;
mod floor;
mod measurement;
mod resident;
mod scenario;
mod store;
mod table;

use clap::Parser;
use measurement::Measurement;
use scenario::Scenario;
use store::{Bed, StoreKind};

/// How fast the stores are on this machine.
///
/// Redis and Postgres are measured where `QUEUE_TEST_REDIS_URL` and `QUEUE_TEST_POSTGRES_URL` lead, in a namespace of
/// their own; `cargo xtask bench` starts private ones with honest durability.
#[derive(Debug, Parser)]
struct Args {
    /// Scenarios to run; all if none is named.
    #[arg(long, value_enum)]
    scenario: Vec<Scenario>,
    /// Stores to run on; all that can be reached if none is named.
    #[arg(long, value_enum)]
    store: Vec<StoreKind>,
    /// Rounds of which the median is shown.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Divides the number of jobs, for a quick look.
    #[arg(long, default_value_t = 1)]
    divide: usize,
    /// One of several worker processes of a measurement; started by the program itself.
    #[arg(long, hide = true, value_name = "URL")]
    worker: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if let Some(url) = &args.worker {
        return scenario::consumers::work(url).await;
    }
    let mut measured = Vec::new();
    for store in stores(&args.store)? {
        for scenario in chosen(&args.scenario) {
            for round in 0..args.rounds {
                for measurement in measure(scenario, store, round, args.divide.max(1)).await? {
                    println!("{}", serde_json::to_string(&measurement)?);
                    measured.push(measurement);
                }
            }
        }
    }
    print!("{}", table::of(&measured));
    Ok(())
}

async fn measure(
    scenario: Scenario,
    store: StoreKind,
    round: usize,
    divide: usize,
) -> anyhow::Result<Vec<Measurement>> {
    let mut measured = Vec::new();
    for setting in scenario.settings(store) {
        let bed = Bed::open(store).await?;
        let jobs = (scenario.jobs(store, setting) / divide).max(scenario.jobs_min());
        let figures = scenario.run(&bed, setting, jobs).await;
        bed.clear().await?;
        measured.push(Measurement { store, scenario, setting, round, figures: figures? });
    }
    Ok(measured)
}

fn chosen<T: clap::ValueEnum + Clone>(named: &[T]) -> Vec<T> {
    if named.is_empty() { T::value_variants().to_vec() } else { named.to_vec() }
}

/// A store that was named must be there; of the others those are left out that are not.
fn stores(named: &[StoreKind]) -> anyhow::Result<Vec<StoreKind>> {
    if let Some(missing) = named.iter().find(|store| !store.is_reachable()) {
        anyhow::bail!("{missing} is not reachable: set {}", missing.variable().unwrap_or_default());
    }
    Ok(chosen(named).into_iter().filter(|store| store.is_reachable()).collect())
}
