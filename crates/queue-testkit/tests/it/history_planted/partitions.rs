//! The defects about partitions.

use crate::history_planted::{bug::Bug, store::PlantedStore};
use queue_core::{ClaimRequest, Limit, LimitScope};

impl PlantedStore {
    pub(super) fn spoil_request(&self, request: &mut ClaimRequest) {
        if self.has(Bug::IgnoresLimitedMax) {
            request.limited_max = usize::MAX;
        }
    }

    /// The limits that the store keeps.
    pub(super) fn spoil_limits(
        &self,
        limits: Vec<(LimitScope, Option<Limit>)>,
    ) -> Vec<(LimitScope, Option<Limit>)> {
        if self.has(Bug::IgnoresLimits) { Vec::new() } else { limits }
    }
}
