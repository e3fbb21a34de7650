//! Where a partition stands among those that take turns.

use super::Turn;
use crate::Limit;

/// What a partition has to give: the priority of its next job, and a slot for that job.
///
/// A partition without a due job, and one whose leases have reached its limit, has no opening and
/// stands nowhere, so a claim meets neither. The opening changes when the next job, the leases or
/// the limit of the partition change, and a store looks at it after each of these. See
/// [`PartitionFront`](super::PartitionFront) for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opening {
    /// The priority of the next job.
    pub priority: i16,
    /// Whether a limit counts the leases of the partition. Stores index such partitions apart, so
    /// that a claim that may have no more of them
    /// ([`limited_max`](crate::ClaimRequest::limited_max)) steps over none.
    pub is_limited: bool,
}

/// The place of a partition in the order of turns, which stores write down for as long as the
/// partition has an [`Opening`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TurnPlace {
    /// What put the partition there.
    pub opening: Opening,
    /// Its turn among those with the same priority.
    pub turn: Turn,
}

impl Opening {
    /// The opening of a partition whose next job has this priority, with so many leases under the
    /// limit in force; `None` if it has no due job, or no slot.
    #[must_use]
    pub fn of(next: Option<i16>, leases: u64, limit: &Limit) -> Option<Self> {
        let priority = next.filter(|_| limit.has_room(leases))?;
        Some(Self { priority, is_limited: limit.running.is_some() })
    }

    /// The opening of the jobs without a partition, which no limit keeps from running.
    #[must_use]
    pub fn unpartitioned(next: Option<i16>) -> Option<Self> {
        next.map(|priority| Self { priority, is_limited: false })
    }

    /// The place of a partition that stood at the same priority, and has only come under a limit or
    /// out of it: it keeps its turn. `None` if it comes to this priority, and is to be placed
    /// [`behind`](Self::behind).
    #[must_use]
    pub fn kept(self, former: Option<TurnPlace>) -> Option<TurnPlace> {
        let former = former.filter(|former| former.opening.priority == self.priority)?;
        Some(TurnPlace { opening: self, ..former })
    }

    /// The place of a partition that comes to this priority, as [`Turn::behind`] says: `present` is
    /// the turn that was taken last, and `lowest` the lowest one of the fronts at this priority,
    /// limited or not.
    #[must_use]
    pub fn behind(self, present: Turn, lowest: Option<Turn>, limit: &Limit) -> TurnPlace {
        TurnPlace { opening: self, turn: Turn::behind(present, lowest, limit) }
    }
}

impl TurnPlace {
    /// The place after a job of the partition was claimed. The turn before it is then the one that
    /// was taken last.
    #[must_use]
    pub fn after_job(self, limit: &Limit) -> Self {
        Self { turn: self.turn.after_job(limit), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Limit = Limit { running: None, weight: 1 };
    const TWO: Limit = Limit { running: Some(2), weight: 1 };

    #[test]
    fn a_due_job_and_a_slot_make_an_opening_and_neither_does_alone() {
        assert_eq!(Opening::of(None, 0, &FREE), None);
        assert_eq!(Opening::of(Some(3), 2, &TWO), None);
        let limited = Opening { priority: 3, is_limited: true };
        assert_eq!(Opening::of(Some(3), 1, &TWO), Some(limited));
        let free = Opening { priority: 3, is_limited: false };
        assert_eq!(Opening::of(Some(3), u64::MAX, &FREE), Some(free));
        assert_eq!(Opening::unpartitioned(Some(3)), Some(free));
        assert_eq!(Opening::unpartitioned(None), None);
    }

    #[test]
    fn a_limit_that_comes_or_goes_moves_no_turn_and_another_priority_does() {
        let free = Opening { priority: 3, is_limited: false };
        let limited = Opening { is_limited: true, ..free };
        let turn = Turn::from_u64(9);
        let former = Some(TurnPlace { opening: free, turn });
        assert_eq!(limited.kept(former), Some(TurnPlace { opening: limited, turn }));
        assert_eq!(Opening { priority: 2, ..free }.kept(former), None);
        assert_eq!(free.kept(None), None);
    }
}
