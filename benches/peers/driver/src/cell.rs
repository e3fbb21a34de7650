//! One peer in one row: its runs, and the figure made of them.

use serde::{Deserialize, Serialize};

use crate::process::Run;
use crate::row::{Row, Unit};

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Cell {
    pub(crate) peer: String,
    pub(crate) workload: String,
    pub(crate) profile: String,
    pub(crate) runs: Vec<Run>,
}

/// A median, and between what it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

impl Cell {
    pub(crate) fn is_of(&self, row: Row) -> bool {
        self.workload == row.workload && self.profile == row.profile
    }

    /// Jobs per second, or the median latency.
    pub(crate) fn figure(&self, unit: Unit) -> Option<Figure> {
        self.figure_of(|run| match unit {
            Unit::JobsPerSecond => run.rate,
            Unit::Milliseconds => run.p50_ms,
        })
    }

    pub(crate) fn p99_ms(&self) -> Option<Figure> {
        self.figure_of(|run| run.p99_ms)
    }

    pub(crate) fn is_not_offered(&self) -> bool {
        self.runs.iter().any(|run| run.not_offered)
    }

    /// What its runs say besides their figures, each thing once, with the number of runs that say
    /// so where it was not all.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let said: Vec<&String> =
            self.runs.iter().flat_map(|run| run.notes.iter().chain(&run.error)).collect();
        let mut remarks: Vec<String> = Vec::new();
        for (index, words) in said.iter().enumerate() {
            if said[..index].contains(words) {
                continue;
            }
            let times = said.iter().filter(|other| other == &words).count();
            remarks.push(match times == self.runs.len() {
                true => (*words).clone(),
                false => format!("{words} ({times} of {} runs)", self.runs.len()),
            });
        }
        remarks
    }

    fn figure_of(&self, value: impl Fn(&Run) -> Option<f64>) -> Option<Figure> {
        let mut values: Vec<f64> = self.runs.iter().filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        let (lowest, highest) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let is_even = values.len().is_multiple_of(2);
        let median = if is_even { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] };
        Some(Figure { median, lowest, highest })
    }
}

#[cfg(test)]
pub(crate) fn sample(peer: &str, row: Row, values: &[f64]) -> Cell {
    let run = |value: &f64| match row.unit {
        Unit::JobsPerSecond => Run { rate: Some(*value), ..Run::default() },
        Unit::Milliseconds => Run { p50_ms: Some(*value), p99_ms: Some(*value * 10.0), ..Run::default() },
    };
    let runs = values.iter().map(run).collect();
    Cell { peer: peer.to_owned(), workload: row.workload.to_owned(), profile: row.profile.to_owned(), runs }
}

#[cfg(test)]
mod tests {
    use super::{Figure, sample};
    use crate::process::Run;
    use crate::row::{ROWS, Unit};

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        let figure = |values: &[f64]| sample("a", ROWS[0], values).figure(Unit::JobsPerSecond);
        assert_eq!(figure(&[3.0, 1.0, 2.0]), Some(Figure { median: 2.0, lowest: 1.0, highest: 3.0 }));
        assert_eq!(figure(&[4.0, 1.0]).map(|figure| figure.median), Some(2.5));
        assert_eq!(figure(&[]), None);
    }

    #[test]
    fn a_remark_says_of_how_many_runs_it_is() {
        let mut cell = sample("a", ROWS[0], &[1.0]);
        cell.runs.push(Run::failed("killed after 90 s"));
        cell.runs[0].notes.push("slow".to_owned());
        assert_eq!(cell.remarks(), ["slow (1 of 2 runs)", "killed after 90 s (1 of 2 runs)"]);
        cell.runs[1].notes.push("slow".to_owned());
        assert_eq!(cell.remarks()[0], "slow");
    }
}
