//! One partition.

use super::super::{packed_job::Traits, ready_index::ReadyPlace};
use queue_core::{
    Limit, Seq, Timestamp,
    lifecycle::{Opening, TurnPlace},
};
use std::{collections::BTreeSet, ops::Bound, sync::Arc};

/// One partition, or the jobs without one.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Due, and not set aside. Jobs without a partition stand in the indexes of the queue instead.
    pub(super) ready: BTreeSet<ReadyPlace>,
    /// How many of its jobs wait, due or not.
    pub(super) waiting: u64,
    pub(super) leases: u64,
    /// Where it stands among the others, while it has a job to give and a slot.
    pub(super) place: Option<TurnPlace>,
    /// What its last job has in common with others, to share it.
    pub(super) traits: Option<Arc<Traits>>,
}

/// How a job counts in its partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Counted {
    pub(in super::super) is_waiting: bool,
    pub(in super::super) is_leased: bool,
}

impl Lane {
    /// What it has to give under a limit.
    pub(super) fn opening(&self, limit: &Limit) -> Option<Opening> {
        Opening::of(self.ready.first().map(|&(priority, ..)| priority), self.leases, limit)
    }

    /// When its oldest job became due. Its jobs stand by priority first, of which there are few.
    pub(super) fn oldest_due(&self) -> Option<Timestamp> {
        let mut oldest: Option<Timestamp> = None;
        let mut from = Bound::Unbounded;
        while let Some(&(priority, run_at, _)) = self.ready.range((from, Bound::Unbounded)).next() {
            oldest = Some(oldest.map_or(run_at, |oldest| oldest.min(run_at)));
            from = Bound::Excluded((priority, Timestamp::from_millis(i64::MAX), Seq::new(u64::MAX)));
        }
        oldest
    }
}
