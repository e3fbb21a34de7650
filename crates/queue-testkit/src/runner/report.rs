//! The outcome of a case.

use crate::{Invariant, cases::Case};

/// The report on one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseReport {
    /// The full name, such as `fencing::a_stale_token_settles_nothing`.
    pub name: String,
    /// The invariants that the case checks.
    pub invariants: &'static [Invariant],
    /// The outcome.
    pub outcome: CaseOutcome,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseOutcome {
    /// The store does what the case requires.
    Passed,
    /// The store does not do it, or the case did not end; with a message.
    Failed(String),
    /// The store or its harness lacks what the case needs; with a message that names it.
    Ignored(String),
}

impl CaseReport {
    pub(super) fn new(case: &Case, outcome: CaseOutcome) -> Self {
        Self { name: case.full_name(), invariants: case.invariants, outcome }
    }

    /// True unless it passed or was ignored.
    pub const fn has_failed(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Failed(_))
    }
}
