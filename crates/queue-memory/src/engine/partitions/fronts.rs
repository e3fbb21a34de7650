//! The partitions that have a job to give and a slot for it, in the order of their turns.

use queue_core::{Partition, lifecycle::Turn};
use std::collections::BTreeSet;

/// The partitions that have a job to give and a slot for it. Those with a limit stand apart, so
/// that a claim that may have no more of them steps over none.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    free: BTreeSet<Front>,
    limited: BTreeSet<Front>,
    /// The turn that was taken last.
    pub(super) present: Turn,
}

/// A partition with a job to give; `None` stands for the jobs without one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Front {
    priority: i16,
    turn: Turn,
    pub(in super::super) partition: Option<Partition>,
}

/// Where a partition stands: by the priority of its next job, then by its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) wanted: Wanted,
    pub(super) turn: Turn,
}

/// What decides where a partition stands, beside its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) priority: i16,
    pub(super) is_limited: bool,
}

impl Fronts {
    /// The one whose job is next, of those with a limit only if they are asked for.
    pub(super) fn first(&self, with_limited: bool) -> Option<&Front> {
        let limited = self.limited.first().filter(|_| with_limited);
        self.free.first().into_iter().chain(limited).min()
    }

    pub(super) fn has_limited(&self) -> bool {
        !self.limited.is_empty()
    }

    /// The lowest turn of those whose next job has this priority.
    pub(super) fn lowest(&self, priority: i16) -> Option<Turn> {
        let of = |fronts: &BTreeSet<Front>| {
            let start = Front { priority, turn: Turn::default(), partition: None };
            let first = fronts.range(start..).next()?;
            (first.priority == priority).then_some(first.turn)
        };
        of(&self.free).into_iter().chain(of(&self.limited)).min()
    }

    pub(super) fn insert(&mut self, partition: Option<&Partition>, place: Place) {
        self.of(place).insert(Front::new(partition, place));
    }

    pub(super) fn remove(&mut self, partition: Option<&Partition>, place: Place) {
        self.of(place).remove(&Front::new(partition, place));
    }

    /// All of them, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Front> {
        self.free.iter().chain(&self.limited)
    }

    fn of(&mut self, place: Place) -> &mut BTreeSet<Front> {
        if place.wanted.is_limited { &mut self.limited } else { &mut self.free }
    }
}

impl Front {
    pub(super) fn new(partition: Option<&Partition>, place: Place) -> Self {
        Self { priority: place.wanted.priority, turn: place.turn, partition: partition.cloned() }
    }
}
