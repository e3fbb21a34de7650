//! The slot of a partition for which a due job waits.

use crate::partitions::leases_words;
use queue_core::{JobMeta, Partition, PartitionStatus, Result, Storage, StorageExt, Timestamp};
use serde::Serialize;

/// The partition of a due job, whose leases have reached its limit: the job waits for a slot of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotWait {
    partition: Partition,
    leases: u64,
    running: u32,
}

/// The slots of the partition of a due job, of which none is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = SlotWait))]
pub struct SlotWaitView {
    /// How many jobs of the partition are leased.
    leases: u64,
    /// How many may be.
    running: u32,
}

impl SlotWait {
    /// Reads it after the job, so it may be of a later moment than the job; `None` if the job is
    /// not due, or its partition has a slot or no limit.
    ///
    /// # Errors
    /// The errors of [`Storage::partitions`].
    pub async fn read(store: &dyn Storage, job: &JobMeta, now: Timestamp) -> Result<Option<Self>> {
        let is_candidate = job.is_due(now) && !job.is_expired(now);
        let Some(partition) = job.partition.as_ref().filter(|_| is_candidate) else { return Ok(None) };
        if !store.capabilities().limits.partitions {
            return Ok(None);
        }
        let found = store.partition_of(&job.queue, partition).await?;
        Ok(found.filter(PartitionStatus::is_full).and_then(|status| {
            let running = status.limit.running?;
            Some(Self { partition: status.partition, leases: status.leases, running })
        }))
    }

    /// It as JSON.
    pub const fn view(&self) -> SlotWaitView {
        SlotWaitView { leases: self.leases, running: self.running }
    }

    /// For what the job waits: `waits for a slot of "acme" (3 of 3)`.
    pub fn words(&self) -> String {
        let Self { partition, leases, running } = self;
        format!("waits for a slot of {partition:?} ({})", leases_words(*leases, Some(*running)))
    }
}
