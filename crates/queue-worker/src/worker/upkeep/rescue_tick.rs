//! A rescue for processes that run no worker.

use crate::runtime::{Pace, PacedTick};
use async_trait::async_trait;
use queue_core::{Error, QueueName, Storage, StorageExt, lifecycle::Policy};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Most lapsed leases ended in one call.
pub(in crate::worker) const RESCUE_MAX: usize = 1000;

/// Ends lapsed leases of one queue, in a process that runs no worker: put the tick into a
/// [`PacedLoop`](crate::runtime::PacedLoop). Workers do the same by themselves, and any number may
/// at once.
#[derive(Clone, Debug)]
pub struct RescueTick {
    storage: Arc<dyn Storage>,
    queue: QueueName,
    policy: Policy,
}

impl RescueTick {
    /// Makes a tick for one queue. The policy decides how long a job waits whose lease lapsed again
    /// and again.
    pub fn new(storage: Arc<dyn Storage>, queue: QueueName, policy: Policy) -> Self {
        Self { storage, queue, policy }
    }
}

#[async_trait]
impl PacedTick for RescueTick {
    type Error = Error;

    async fn tick(&self, _stop: &CancellationToken) -> Result<Pace, Error> {
        let limit = RESCUE_MAX.min(self.storage.capabilities().limits.batch_max);
        let rescued = self.storage.rescue(&self.queue, limit, &self.policy).await?;
        Ok(if rescued.len() < limit { Pace::Idle } else { Pace::Busy })
    }
}
