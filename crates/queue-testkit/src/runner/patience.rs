//! How long a case may take before it counts as hanging.

use crate::history::WORKLOADS;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Far beyond what any case takes; it only tells a hang from a slow machine.
pub(crate) const HANG_AFTER: Duration = Duration::from_secs(120);
/// Once a case has hung the run has failed, and a store that has one such mistake hangs in dozens
/// of cases: these are not waited for as long, or the run would end by the limit of whoever started
/// it, without a word.
const AFTER_A_HANG: Duration = Duration::from_secs(30);
/// Groups that run as many seeds as they are asked for.
const SEEDED: [&str; 2] = [WORKLOADS, "differential"];

/// The patience of one run of the suite.
#[derive(Debug)]
pub(super) struct Patience {
    hang_after: Duration,
    has_hung: AtomicBool,
}

impl Patience {
    pub(super) fn new(hang_after: Duration) -> Self {
        Self { hang_after, has_hung: AtomicBool::new(false) }
    }

    /// How long a case of this group may take: what is random, so long for each of the seeds that
    /// somebody asks for. Each run has a deadline of its own too.
    pub(super) fn with(&self, group: &str, seeds: Option<u64>) -> Duration {
        let is_seeded = SEEDED.contains(&group);
        if !is_seeded && self.has_hung.load(Ordering::Relaxed) {
            return self.hang_after.min(AFTER_A_HANG);
        }
        let runs = seeds.filter(|_| is_seeded).unwrap_or(1).max(1);
        self.hang_after.saturating_mul(u32::try_from(runs).unwrap_or(u32::MAX))
    }

    /// A case has hung.
    pub(super) fn wear_thin(&self) {
        self.has_hung.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_random_may_take_longer_if_more_seeds_are_asked_for() {
        let minute = Duration::from_secs(60);
        let patience = Patience::new(minute);
        for group in SEEDED {
            assert_eq!(patience.with(group, Some(1_000)), 1_000 * minute);
            assert_eq!(patience.with(group, None), minute);
        }
        assert_eq!(patience.with("enqueue", Some(1_000)), minute);
    }

    #[test]
    fn after_a_hang_other_cases_are_not_waited_for_as_long() {
        let patience = Patience::new(HANG_AFTER);
        patience.wear_thin();
        assert_eq!(patience.with("enqueue", None), AFTER_A_HANG);
        assert_eq!(patience.with("differential", None), HANG_AFTER, "a random case is many runs");
        let short = Patience::new(Duration::from_secs(1));
        short.wear_thin();
        assert_eq!(short.with("enqueue", None), Duration::from_secs(1));
    }
}
