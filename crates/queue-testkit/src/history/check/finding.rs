//! Broken invariants, each with the events that show it.

use crate::{Invariant, history::Event};
use std::{collections::BTreeMap, fmt};

/// A violation of an invariant by a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The invariant.
    pub invariant: Invariant,
    /// The violation in words.
    pub explanation: String,
    /// The events that show it.
    pub events: Vec<Event>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.explanation)?;
        self.events.iter().try_for_each(|event| {
            let line = serde_json::to_string(event).map_err(|_| fmt::Error)?;
            write!(f, "\n    {line}")
        })
    }
}

/// A broken store breaks the same invariant everywhere, so this many findings of one invariant are
/// enough.
const PER_INVARIANT_MAX: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Findings(BTreeMap<Invariant, Vec<Violation>>);

impl Findings {
    pub(super) fn report(
        &mut self,
        invariant: Invariant,
        explanation: impl Into<String>,
        shown_by: &[&Event],
    ) {
        let mut events: Vec<Event> = shown_by.iter().map(|event| (*event).clone()).collect();
        events.sort_by_key(|event| event.index);
        let violation = Violation { invariant, explanation: explanation.into(), events };
        let found = self.0.entry(invariant).or_default();
        if found.len() < PER_INVARIANT_MAX && !found.contains(&violation) {
            found.push(violation);
        }
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.0.into_values().flatten().collect()
    }
}
