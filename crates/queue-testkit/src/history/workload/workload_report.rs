//! The result of a workload: its history, and the violations in it.

use crate::history::{Answer, History, Op, Phase, Violation};

/// The result of a workload.
#[derive(Debug)]
pub struct WorkloadReport {
    /// The seed, to repeat the run.
    pub seed: u64,
    /// All calls and answers.
    pub history: History,
    /// The violations of invariants.
    pub violations: Vec<Violation>,
    /// The number of injected faults.
    pub faults: u64,
}

/// A panic message shows at most this many violations.
const SHOWN_MAX: usize = 5;

impl WorkloadReport {
    /// The number of items of calls that failed. A follower of a settle that was not applied failed
    /// without a call.
    pub fn unanswered(&self) -> usize {
        let events = self.history.events().iter().filter(|event| event.op != Op::Then);
        events.filter(|event| matches!(event.phase, Phase::Fail | Phase::Info)).count()
    }

    /// The number of completions that were answered as done.
    pub fn completions(&self) -> usize {
        let events = self.history.events().iter();
        events.filter(|event| event.op == Op::Complete && event.answer == Some(Answer::Done)).count()
    }

    /// The number of leases of jobs with a partition, whose limits the history shows (I25).
    pub fn partitioned_leases(&self) -> usize {
        let events = self.history.events().iter();
        let claimed = events.filter(|event| event.answer == Some(Answer::Claimed));
        claimed.filter(|event| event.seen.as_ref().is_some_and(|seen| seen.partition.is_some())).count()
    }

    /// Fails a test that found a violation, with the seed and the first findings.
    ///
    /// # Panics
    /// If any invariant is broken.
    pub fn assert_clean(&self) {
        let shown: Vec<String> = self.violations.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
        let found = self.violations.len();
        assert!(found == 0, "seed {}: {found} violations, first of all\n{}", self.seed, shown.join("\n"));
    }
}
