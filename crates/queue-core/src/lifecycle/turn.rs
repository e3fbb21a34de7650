//! The turns of partitions: whose job is next.

use crate::Limit;

/// The place of a partition among those whose next job has the same priority; the lowest is next.
///
/// Turns are self-clocked fair queueing (Golestani 1994): a job moves the turn of its partition on
/// by one over the weight, and a partition that comes to wait is placed one such step behind the
/// turn that was taken last. So two partitions that both have due jobs over some time get them in
/// proportion to their weights, up to one job each. A rest saves nothing up, and a store forgets
/// the turn of a partition that has no job to give: a partition whose jobs come one at a time, each
/// while the last one runs, passes no other.
///
/// ```
/// use queue_core::{Limit, lifecycle::Turn};
///
/// let (single, double) = (Limit::default(), Limit { weight: 2, ..Limit::default() });
/// let start = Turn::default();
/// let (a, b) = (Turn::behind(start, None, &single), Turn::behind(start, None, &double));
/// assert!(b < a, "twice the weight is half the step");
/// assert_eq!(b.after_job(&double), a);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(u64);

/// What one job of weight one costs. It is large, so that a weight divides it nearly evenly, and
/// small, so that nine thousand million jobs fit a floating-point number, which some stores count
/// with.
const UNIT: u64 = 1_000_000;

impl Turn {
    /// The turn of a partition that comes to have a job of some priority to give. `present` is the
    /// turn that was taken last, and `lowest` the lowest one of those that wait at this priority.
    ///
    /// Where other priorities were claimed meanwhile, `present` says little about this one, so the
    /// lowest bounds it: the partition neither passes those that wait nor waits for more than its
    /// share.
    #[must_use]
    pub fn behind(present: Self, lowest: Option<Self>, limit: &Limit) -> Self {
        let from = match lowest {
            Some(lowest) => present.0.clamp(lowest.0.saturating_sub(UNIT), lowest.0),
            None => present.0,
        };
        Self(from).after_job(limit)
    }

    /// The turn after a job was claimed.
    #[must_use]
    pub fn after_job(self, limit: &Limit) -> Self {
        Self(self.0.saturating_add(UNIT / u64::from(limit.weight.max(1))))
    }

    /// The number that stores write.
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The turn of a stored number.
    pub const fn from_u64(number: u64) -> Self {
        Self(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(weight: u16) -> Limit {
        Limit { weight, ..Limit::default() }
    }

    #[test]
    fn a_partition_that_comes_back_for_each_job_takes_turns_with_one_that_stays() {
        let one = weight(1);
        let mut present = Turn::default();
        let mut stays = Turn::behind(present, None, &one);
        let mut served = [0, 0];
        for _ in 0..100 {
            let comes = Turn::behind(present, Some(stays), &one);
            if comes <= stays {
                served[0] += 1;
                present = comes;
            } else {
                served[1] += 1;
                present = stays;
                stays = stays.after_job(&one);
            }
        }
        assert_eq!(served, [50, 50]);
    }

    #[test]
    fn neither_debts_nor_savings_of_another_priority_are_inherited() {
        let one = weight(1);
        let waits = Turn::from_u64(500 * UNIT);
        for present in [Turn::default(), Turn::from_u64(900 * UNIT)] {
            let comes = Turn::behind(present, Some(waits), &one);
            assert!((waits..=waits.after_job(&one)).contains(&comes), "{present:?}");
        }
    }

    #[test]
    fn no_weight_and_no_number_is_too_large() {
        let last = Turn::from_u64(u64::MAX);
        assert_eq!(last.after_job(&weight(1)), last);
        assert!(Turn::default().after_job(&weight(Limit::WEIGHT_MAX)) > Turn::default());
        assert_eq!(Turn::default().after_job(&weight(0)), Turn::default().after_job(&weight(1)));
    }
}
