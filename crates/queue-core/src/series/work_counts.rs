//! The numbers of one kind of jobs in some stretch of time.

use super::{TimeHistogram, WorkOutcome};
use std::time::Duration;

/// What was counted of some jobs in some stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts {
    pub(super) outcomes: [u64; WorkOutcome::ALL.len()],
    pub(super) wait: TimeHistogram,
    pub(super) run: TimeHistogram,
}

impl WorkCounts {
    /// Counts the end of an attempt.
    #[inline]
    pub fn count(&mut self, outcome: WorkOutcome) {
        let outcome = &mut self.outcomes[outcome as usize];
        *outcome = outcome.saturating_add(1);
    }

    /// Counts the times of an attempt whose handler ran.
    #[inline]
    pub fn record(&mut self, waited: Duration, ran_for: Duration) {
        self.wait.record(waited);
        self.run.record(ran_for);
    }

    /// How many attempts ended like this.
    pub const fn of(&self, outcome: WorkOutcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// How long jobs waited from their due time to their claim, one time for each attempt whose
    /// handler ran.
    pub const fn wait(&self) -> &TimeHistogram {
        &self.wait
    }

    /// How long handlers ran.
    pub const fn run(&self) -> &TimeHistogram {
        &self.run
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.outcomes.iter().all(|count| *count == 0) && self.wait.count() == 0 && self.run.count() == 0
    }

    /// Adds what another counter counted.
    pub fn add(&mut self, other: &Self) {
        self.zip(other, u64::saturating_add);
        self.wait.add(&other.wait);
        self.run.add(&other.run);
    }

    /// Merges with another reading of the same counters. Counters only grow, so the higher of two
    /// is the later one.
    pub(super) fn raise(&mut self, other: &Self) {
        self.zip(other, u64::max);
        self.wait.raise(&other.wait);
        self.run.raise(&other.run);
    }

    fn zip(&mut self, other: &Self, merge: impl Fn(u64, u64) -> u64) {
        for (own, other) in self.outcomes.iter_mut().zip(other.outcomes) {
            *own = merge(*own, other);
        }
    }
}
