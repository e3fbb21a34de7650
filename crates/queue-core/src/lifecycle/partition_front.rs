//! The order in which partitions take turns.

use super::{Opening, Turn, TurnPlace};
use crate::Partition;

/// A partition with its place, as an entry of the index of those that take turns. The lowest front
/// has the next job; of two with one turn, the lower key comes first.
///
/// ```
/// use queue_core::{
///     Limit, Partition,
///     lifecycle::{Opening, PartitionFront, Turn},
/// };
///
/// let (limit, present) = (Limit { running: Some(2), ..Limit::default() }, Turn::default());
/// let opening = Opening::of(Some(0), 1, &limit).expect("a due job, and one of two slots is free");
/// let place = opening.behind(present, None, &limit);
/// let a = PartitionFront::new(Some(Partition::from_static("a")), place);
/// let b = PartitionFront::new(Some(Partition::from_static("b")), place);
/// assert!(a < b);
///
/// // A job of `a` is claimed, and settled later: `a` is behind `b`, and full meanwhile.
/// let former = Some(a.place().after_job(&limit));
/// assert_eq!(Opening::of(Some(0), 2, &limit), None);
/// assert_eq!(opening.kept(former), former);
/// assert!(b < PartitionFront::new(a.partition, place.after_job(&limit)));
///
/// // Its next job has another priority, where its turn says nothing.
/// let urgent = Opening { priority: -1, ..opening };
/// assert_eq!(urgent.kept(former), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionFront {
    /// The priority of its next job.
    pub priority: i16,
    /// Its turn at this priority.
    pub turn: Turn,
    /// The partition; `None` stands for the jobs without one, which take turns as one.
    pub partition: Option<Partition>,
    /// Whether a limit counts its leases.
    pub is_limited: bool,
}

impl PartitionFront {
    /// A partition at its place.
    pub fn new(partition: Option<Partition>, place: TurnPlace) -> Self {
        let TurnPlace { opening: Opening { priority, is_limited }, turn } = place;
        Self { priority, turn, partition, is_limited }
    }

    /// The place of the partition.
    pub fn place(&self) -> TurnPlace {
        let opening = Opening { priority: self.priority, is_limited: self.is_limited };
        TurnPlace { opening, turn: self.turn }
    }

    /// The least front that can stand at a priority: a search for the lowest turn starts here.
    pub fn least(priority: i16) -> Self {
        Self { priority, turn: Turn::default(), partition: None, is_limited: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_stand_by_priority_then_turn_then_key() {
        let key = |key| Some(Partition::from_static(key));
        let at = |priority, turn, partition| {
            let opening = Opening { priority, is_limited: false };
            PartitionFront::new(partition, TurnPlace { opening, turn: Turn::from_u64(turn) })
        };
        let in_order = [
            PartitionFront::least(-1),
            at(-1, 9, key("b")),
            PartitionFront::least(0),
            at(0, 1, key("b")),
            at(0, 2, None),
            at(0, 2, key("a")),
            at(0, 2, key("b")),
        ];
        assert!(in_order.is_sorted_by(|former, next| former < next));
        let last = &in_order[6];
        assert_eq!(PartitionFront::new(last.partition.clone(), last.place()), *last);
    }
}
