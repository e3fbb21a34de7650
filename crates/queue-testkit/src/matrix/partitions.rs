//! Jobs in partitions: their limits, and the numbers that a store keeps of them.

use super::{group::TwinGroup, shape::SHARED};
use crate::cases::partitions::{assert_adds_up, at_most, own, set, set_each};
use queue_core::JobMeta;

/// More jobs than a group has.
const PLENTY: u32 = 1_000_000;

impl TwinGroup {
    pub(super) fn has_partitions(&self) -> bool {
        self.shapes().any(|shape| shape.partition("").is_some())
    }

    /// One job at a time of each partition, which is all that it has; but of the shared one as many
    /// as there are.
    pub(super) async fn limit_partitions(&self) {
        if self.has_partitions() {
            set_each(&self.bench, 1).await;
            set(&self.bench, own(SHARED), at_most(PLENTY)).await;
        }
    }

    /// Asserts that each partition has as many leases and waiting jobs as its twins.
    pub(super) async fn compare_partitions(&self) {
        if self.has_partitions() {
            let now = self.now();
            let jobs: Vec<JobMeta> = self.twins.iter().filter_map(|twin| twin.meta(now).cloned()).collect();
            assert_adds_up(&self.bench, &jobs).await;
        }
    }
}
