//! The partitions that have a job to give and a slot for it, in the order of their turns.

use queue_core::{
    Partition,
    lifecycle::{PartitionFront, Turn, TurnPlace},
};
use std::collections::BTreeSet;

/// The partitions that have a job to give and a slot for it. Those with a limit stand apart, so
/// that a claim that may have no more of them steps over none.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    free: BTreeSet<PartitionFront>,
    limited: BTreeSet<PartitionFront>,
    /// The turn that was taken last.
    pub(super) present: Turn,
}

impl Fronts {
    /// The one whose job is next, of those with a limit only if they are asked for.
    pub(super) fn first(&self, with_limited: bool) -> Option<&PartitionFront> {
        let limited = self.limited.first().filter(|_| with_limited);
        self.free.first().into_iter().chain(limited).min()
    }

    pub(super) fn has_limited(&self) -> bool {
        !self.limited.is_empty()
    }

    /// The lowest turn of those whose next job has this priority.
    pub(super) fn lowest(&self, priority: i16) -> Option<Turn> {
        let of = |fronts: &BTreeSet<PartitionFront>| {
            let first = fronts.range(PartitionFront::least(priority)..).next()?;
            (first.priority == priority).then_some(first.turn)
        };
        of(&self.free).into_iter().chain(of(&self.limited)).min()
    }

    pub(super) fn insert(&mut self, partition: Option<&Partition>, place: TurnPlace) {
        self.of(place).insert(PartitionFront::new(partition.cloned(), place));
    }

    pub(super) fn remove(&mut self, partition: Option<&Partition>, place: TurnPlace) {
        self.of(place).remove(&PartitionFront::new(partition.cloned(), place));
    }

    /// All of them, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &PartitionFront> {
        self.free.iter().chain(&self.limited)
    }

    fn of(&mut self, place: TurnPlace) -> &mut BTreeSet<PartitionFront> {
        if place.opening.is_limited { &mut self.limited } else { &mut self.free }
    }
}
