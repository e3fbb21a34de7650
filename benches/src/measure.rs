//! The arguments that select scenarios and stores, and the loop that measures, prints and keeps
//! them.

use crate::{
    bed::Bed, figures::Figures, measurement::Measurement, page, results::Results, run::BenchRun,
    scenario::Scenario, store::StoreKind,
};
use anyhow::ensure;
use std::path::PathBuf;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct MeasureArgs {
    /// Scenarios to run; all but `soak` if none is named.
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
    /// A folder of results. What is measured replaces what was measured of the same scenarios and
    /// stores before, and the floors are measured too, whether named or not.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

pub(crate) async fn run(wanted: &MeasureArgs) -> anyhow::Result<()> {
    let mut measured = Vec::new();
    for run in wanted.runs().await? {
        for scenario in wanted.scenarios() {
            let rows = rounds(&run, scenario).await?;
            if let Some(folder) = &wanted.keep {
                let mut results = Results::load_store(folder, run.store)?;
                results.merge(&run, &rows);
                results.save_store(folder, run.store)?;
            }
            measured.extend(rows);
        }
    }
    print!("{}", page::tables(&measured));
    let has_grown = measured.iter().any(|row| match &row.figures {
        Figures::Memory { resident_bytes, .. } => page::memory_grew(resident_bytes),
        _ => false,
    });
    ensure!(!has_grown, "memory grew");
    Ok(())
}

async fn rounds(run: &BenchRun, scenario: Scenario) -> anyhow::Result<Vec<Measurement>> {
    let mut measured = Vec::new();
    for round in 0..run.rounds {
        for row in once(run, scenario, round).await? {
            println!("{}", serde_json::to_string(&row)?);
            measured.push(row);
        }
    }
    Ok(measured)
}

async fn once(run: &BenchRun, scenario: Scenario, round: usize) -> anyhow::Result<Vec<Measurement>> {
    let store = run.store;
    let mut measured = Vec::new();
    for setting in scenario.settings(store) {
        let bed = Bed::open(store).await?;
        let jobs = (scenario.jobs(store, setting) / run.divide).max(scenario.jobs_min());
        let readings = scenario.run(&bed, setting, jobs).await;
        bed.clear().await?;
        measured.extend(readings?.into_iter().map(|reading| {
            let run = run.id.clone();
            let part = reading.part;
            let figures = reading.figures;
            Measurement { run, store, scenario, setting, part, round, figures }
        }));
    }
    Ok(measured)
}

impl MeasureArgs {
    /// Floors first, so that what is kept of an unfinished run can be compared.
    fn scenarios(&self) -> Vec<Scenario> {
        let all = <Scenario as clap::ValueEnum>::value_variants().iter().copied();
        let is_named = |scenario: &Scenario| match self.scenario.as_slice() {
            [] => scenario.is_usual(),
            named => named.contains(scenario) || (self.keep.is_some() && scenario.is_floor()),
        };
        let mut scenarios: Vec<Scenario> = all.filter(is_named).collect();
        scenarios.sort_by_key(|scenario| !scenario.is_floor());
        scenarios
    }

    /// A store that was named must be there; of the others those are left out that are not.
    async fn runs(&self) -> anyhow::Result<Vec<BenchRun>> {
        let named = &self.store;
        if let Some(missing) = named.iter().find(|store| !store.is_reachable()) {
            anyhow::bail!("{missing} is not reachable: set {}", missing.variable().unwrap_or_default());
        }
        let all = <StoreKind as clap::ValueEnum>::value_variants();
        let mut runs = Vec::new();
        for store in if named.is_empty() { all } else { named.as_slice() } {
            match BenchRun::begin(*store, self.rounds.max(1), self.divide.max(1)).await {
                Ok(run) => runs.push(run),
                Err(error) if named.is_empty() => eprintln!("{store}: left out: {error:#}"),
                Err(error) => return Err(error),
            }
        }
        Ok(runs)
    }
}
