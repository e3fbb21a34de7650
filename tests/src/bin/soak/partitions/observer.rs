//! Looks at the partitions of the store, one after the other, for as long as a run lasts.

use super::Jobs;
use crate::failed::{Failed, require};
use queue::{
    Timestamp,
    queue_core::{Partition, PartitionStatus},
};
use std::{collections::HashMap, time::Duration};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Several pages make a look.
const PAGE: usize = 64;
const REST: Duration = Duration::from_millis(5);
/// A job that is due for so long, beside a free slot, is stuck. Others have turns in milliseconds.
const STUCK: Duration = Duration::from_mins(1);

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Sights {
    /// How often all partitions were looked at.
    pub(super) looks: u64,
    /// The most leases of one partition in any look.
    pub(super) leases_max: u64,
    /// The longest time for which the oldest job of a partition was due beside a free slot.
    pub(super) idle_max: Duration,
    /// The due time of the oldest job of each partition that has a free slot, and since when it is
    /// seen like that.
    idle: HashMap<Partition, (Timestamp, Instant)>,
}

/// Looks until it is stopped. Fails at the first look that shows more leases than the limit, or a
/// job that is stuck.
pub(super) async fn observe(queue: &Jobs, running: u32, stop: &CancellationToken) -> Result<Sights, Failed> {
    let mut sights = Sights::default();
    while !stop.is_cancelled() {
        let mut after = None;
        loop {
            let page = queue.partitions(after, PAGE).await?;
            page.partitions.iter().try_for_each(|partition| sights.note(partition, running))?;
            let Some(next) = page.next else { break };
            after = next.after;
        }
        sights.looks += 1;
        sleep(REST).await;
    }
    Ok(sights)
}

impl Sights {
    fn note(&mut self, seen: &PartitionStatus, running: u32) -> Result<(), Failed> {
        require(seen.limit.running == Some(running), || format!("another limit than was set: {seen:?}"))?;
        require(seen.leases <= u64::from(running), || format!("more leases than the limit: {seen:?}"))?;
        self.leases_max = self.leases_max.max(seen.leases);
        let Some(oldest_due) = seen.oldest_due.filter(|_| !seen.is_full()) else {
            self.idle.remove(&seen.partition);
            return Ok(());
        };
        let fresh = (oldest_due, Instant::now());
        let idle = self.idle.entry(seen.partition.clone()).or_insert(fresh);
        if idle.0 != oldest_due {
            *idle = fresh;
        }
        let waits = idle.1.elapsed();
        self.idle_max = self.idle_max.max(waits);
        require(waits < STUCK, || format!("a job is stuck beside a free slot: {seen:?}"))
    }
}
