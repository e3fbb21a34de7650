//! The measurements of all rounds, put together by store, scenario and setting, each with the floor
//! of its run.

use crate::{
    figures::{Figures, Latency},
    measurement::Measurement,
    results::Results,
    run::BenchRun,
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use std::collections::BTreeMap;

/// The rounds of each figure together.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) runs: Vec<BenchRun>,
    pub(super) cells: BTreeMap<Key, Cell>,
    /// The floors of every run, by its id: a figure is compared with the floor beside it.
    floors: BTreeMap<(String, Scenario, Setting, Option<String>), Cell>,
}

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) store: StoreKind,
    pub(super) scenario: Scenario,
    pub(super) setting: Setting,
    pub(super) part: Option<String>,
}

/// One figure in every round of the run that measured it last.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) run: String,
    rounds: Vec<Figures>,
}

/// The rates of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    pub(super) jobs: usize,
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
}

impl Summary {
    pub(super) fn of(results: &Results) -> Self {
        let mut summary = Self { runs: results.runs.clone(), ..Self::default() };
        for row in &results.rows {
            if row.scenario.is_floor() {
                let floor = (row.run.clone(), row.scenario, row.setting, row.part.clone());
                add(summary.floors.entry(floor).or_insert_with(|| Cell::of(row)), row);
            }
            let Measurement { store, scenario, setting, part, .. } = row.clone();
            let cell = summary.cells.entry(Key { store, scenario, setting, part });
            add(cell.or_insert_with(|| Cell::of(row)), row);
        }
        summary
    }

    /// The only figure, or the main one, of a measurement.
    pub(super) fn get(&self, store: StoreKind, scenario: Scenario, setting: Setting) -> Option<&Cell> {
        self.cells.get(&Key { store, scenario, setting, part: None })
    }

    /// The lines of some scenarios, by store.
    pub(super) fn of_scenarios<'s>(
        &'s self,
        scenarios: &'s [Scenario],
    ) -> impl Iterator<Item = (&'s Key, &'s Cell)> {
        self.cells.iter().filter(|(key, _)| scenarios.contains(&key.scenario))
    }

    /// The floor that was measured in the same run as a figure.
    pub(super) fn floor(&self, run: &str, scenario: Scenario, setting: Setting) -> Option<&Cell> {
        self.floor_part(run, (scenario, setting), None)
    }

    /// One of several figures of it.
    pub(super) fn floor_part(
        &self,
        run: &str,
        (scenario, setting): (Scenario, Setting),
        part: Option<&str>,
    ) -> Option<&Cell> {
        self.floors.get(&(run.to_owned(), scenario, setting, part.map(str::to_owned)))
    }

    pub(super) fn run(&self, id: &str) -> Option<&BenchRun> {
        self.runs.iter().find(|run| run.id == id)
    }
}

/// Of the floors of several runs, the last ones are shown.
fn add(cell: &mut Cell, row: &Measurement) {
    if cell.run != row.run {
        *cell = Cell::of(row);
    }
    cell.rounds.push(row.figures.clone());
}

impl Cell {
    fn of(row: &Measurement) -> Self {
        Self { run: row.run.clone(), rounds: Vec::new() }
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        let Some(Figures::Rate { jobs, .. }) = self.rounds.first() else { return None };
        let rates = self
            .sorted(|it| if let Figures::Rate { per_second, .. } = it { Some(*per_second) } else { None });
        Some(Rate {
            jobs: *jobs,
            low: rates[0],
            median: rates[rates.len() / 2],
            high: rates[rates.len() - 1],
        })
    }

    /// How many a second, whether that or the time of each was measured.
    pub(super) fn per_second(&self) -> Option<f64> {
        self.rate().map(|rate| rate.median).or_else(|| self.latency().map(|latency| latency.per_second))
    }

    /// The round of the median p50, whole, so that its percentiles belong together.
    pub(super) fn latency(&self) -> Option<&Latency> {
        let mut rounds: Vec<&Latency> = self
            .rounds
            .iter()
            .filter_map(|it| if let Figures::Latency(it) = it { Some(it) } else { None })
            .collect();
        rounds.sort_by_key(|it| it.p50_us);
        rounds.get(rounds.len() / 2).copied()
    }

    pub(super) fn bytes_per_job(&self) -> Option<f64> {
        let bytes = self.sorted(|it| {
            if let Figures::Bytes { bytes_per_job, .. } = it { Some(*bytes_per_job) } else { None }
        });
        bytes.get(bytes.len() / 2).copied()
    }

    /// Of the round with the least: neighbours on the same processor only add.
    pub(super) fn cpu_us_per_job(&self) -> Option<f64> {
        let costs = self.sorted(|it| {
            if let Figures::Processor { cpu_us_per_job, .. } = it { Some(*cpu_us_per_job) } else { None }
        });
        costs.first().copied()
    }

    /// Jobs, seconds, and the memory in use meanwhile, of the last round.
    pub(super) fn memory(&self) -> Option<(usize, f64, &[u64])> {
        match self.rounds.last() {
            Some(Figures::Memory { jobs, seconds, resident_bytes }) => {
                Some((*jobs, *seconds, resident_bytes))
            }
            _ => None,
        }
    }

    fn sorted(&self, of: impl Fn(&Figures) -> Option<f64>) -> Vec<f64> {
        let mut values: Vec<f64> = self.rounds.iter().filter_map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}
