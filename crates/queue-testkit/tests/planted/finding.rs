//! Runs the suite on a defect, and says which case finds it.

use crate::{defect::Defect, harness::PlantedHarness};
use queue_testkit::{CaseReport, Failure, Selection, collect};
use std::time::Duration;

/// Longer than any case of a store in memory takes, and short enough to wait for: without hints a
/// dozen cases hang.
const HANG_AFTER: Duration = Duration::from_secs(10);
/// More than there are processors, since cases that hang need none.
const CASES_AT_ONCE: usize = 32;

/// The outcome of the suite on one defect.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) defect: Defect,
    failed: Vec<CaseReport>,
}

impl Finding {
    /// Runs the cases whose names begin with one of these, or all cases.
    pub(crate) fn of(defect: Defect, names: &[&str]) -> Result<Self, Failure> {
        Ok(Self { defect, failed: failures(Some(defect), names)? })
    }

    /// A failed case that cites what the defect violates: the first in the groups that should find
    /// it, else the first of all.
    pub(crate) fn caught_by(&self) -> Option<&CaseReport> {
        let is_about =
            |report: &&CaseReport| report.invariants.iter().any(|each| self.defect.breaks().contains(each));
        let is_expected =
            |report: &&CaseReport| self.defect.groups().iter().any(|group| report.name.starts_with(group));
        let mut about = self.failed.iter().filter(is_about);
        about.clone().find(is_expected).or_else(|| about.next())
    }

    /// How many cases failed.
    pub(crate) fn failures(&self) -> usize {
        self.failed.len()
    }

    /// How many cases of one group failed.
    pub(crate) fn failures_of(&self, group: &str) -> usize {
        let is_in_group = |report: &&CaseReport| report.name.split("::").next() == Some(group);
        self.failed.iter().filter(is_in_group).count()
    }
}

/// The cases that fail.
pub(crate) fn failures(defect: Option<Defect>, names: &[&str]) -> Result<Vec<CaseReport>, Failure> {
    let selection = Selection::default()
        .only(names.iter().copied())
        .with_hang_after(HANG_AFTER)
        .with_cases_at_once(CASES_AT_ONCE);
    let reports = collect(PlantedHarness(defect), &selection)?;
    Ok(reports.into_iter().filter(CaseReport::has_failed).collect())
}
