//! The outcome of a case.

use crate::{Invariant, cases::Case};

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseReport {
    /// Its full name, such as `fencing::a_stale_token_settles_nothing`.
    pub name: String,
    /// What it would find broken.
    pub invariants: &'static [Invariant],
    /// How it went.
    pub outcome: CaseOutcome,
}

/// How a case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseOutcome {
    /// The store does what the case asks for.
    Passed,
    /// It does not, or the case did not end; in words.
    Failed(String),
    /// The store or its harness does not offer what the case needs, which is this.
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
