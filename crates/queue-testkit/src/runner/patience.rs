//! How long a case may run before it is late, and hangs unless it goes on getting answers.

use crate::{cases::RACES, history::WORKLOADS};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Far longer than any case takes on a machine that does little else.
pub(crate) const HANG_AFTER: Duration = Duration::from_secs(120);
/// The limit after the first hang. The run has failed by then, and a store with such a defect hangs
/// in dozens of cases: with the full limit, CI's own limit would end the run without a message.
const AFTER_A_HANG: Duration = Duration::from_secs(30);
/// Groups that run as many seeds as the environment asks for.
const SEEDED: [&str; 2] = [WORKLOADS, "differential"];
/// As many changes beside replacements as a case makes within the limit on a slow disk.
const CHANGES_IN_TIME: usize = 100;

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

    /// The time that a case of this group may take; a group of random runs gets as long for each
    /// seed that the environment asks for, and races for the changes. Each run also has its own
    /// deadline.
    pub(super) fn with(&self, group: &str, seeds: Option<u64>, changes: Option<usize>) -> Duration {
        if let (RACES, Some(changes)) = (group, changes) {
            let times = u32::try_from(changes.div_ceil(CHANGES_IN_TIME).max(1)).unwrap_or(u32::MAX);
            return self.hang_after.saturating_mul(times);
        }
        let is_seeded = SEEDED.contains(&group);
        if !is_seeded && self.has_hung.load(Ordering::Relaxed) {
            return self.hang_after.min(AFTER_A_HANG);
        }
        let runs = if is_seeded { seeds.unwrap_or(1).max(1) } else { 1 };
        self.hang_after.saturating_mul(u32::try_from(runs).unwrap_or(u32::MAX))
    }

    /// Notes that a case has hung.
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
            assert_eq!(patience.with(group, Some(1_000), None), 1_000 * minute);
            assert_eq!(patience.with(group, None, Some(9)), minute);
        }
        assert_eq!(patience.with("enqueue", Some(1_000), Some(1_000)), minute);
    }

    #[test]
    fn races_may_take_longer_if_more_changes_are_asked_for() {
        let minute = Duration::from_secs(60);
        let patience = Patience::new(minute);
        assert_eq!(patience.with(RACES, None, Some(10_000)), 100 * minute);
        assert_eq!(patience.with(RACES, None, Some(1)), minute);
        assert_eq!(patience.with(RACES, None, None), minute);
    }

    #[test]
    fn after_a_hang_other_cases_are_not_waited_for_as_long() {
        let patience = Patience::new(HANG_AFTER);
        patience.wear_thin();
        assert_eq!(patience.with("enqueue", None, None), AFTER_A_HANG);
        assert_eq!(patience.with("differential", None, None), HANG_AFTER, "a random case is many runs");
        let short = Patience::new(Duration::from_secs(1));
        short.wear_thin();
        assert_eq!(short.with("enqueue", None, None), Duration::from_secs(1));
    }
}
