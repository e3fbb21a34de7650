//! A prune for processes that run no worker.

use crate::runtime::{Pace, PacedTick};
use async_trait::async_trait;
use queue_core::{Error, Prune, PruneRequest, QueueName, Storage};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Most records removed in one call, so that other writers get their turn between two calls.
pub(in crate::worker) const PRUNE_MAX: usize = 1000;

/// Removes records of one queue that are past their purge time, in a process that runs no worker:
/// put the tick into a [`PacedLoop`](crate::runtime::PacedLoop). Workers do the same by themselves,
/// and any number may at once.
#[derive(Clone, Debug)]
pub struct PruneTick {
    storage: Arc<dyn Storage>,
    queue: QueueName,
}

impl PruneTick {
    /// Makes a tick for one queue.
    pub fn new(storage: Arc<dyn Storage>, queue: QueueName) -> Self {
        Self { storage, queue }
    }
}

#[async_trait]
impl PacedTick for PruneTick {
    type Error = Error;

    async fn tick(&self, _stop: &CancellationToken) -> Result<Pace, Error> {
        let request = PruneRequest { queue: self.queue.clone(), what: Prune::Expired, limit: PRUNE_MAX };
        let removed = self.storage.prune(request).await?;
        Ok(if removed < PRUNE_MAX as u64 { Pace::Idle } else { Pace::Busy })
    }
}
