//! The first partitions of a queue in an order.

use queue_core::{Partition, PartitionQuery, PartitionStatus, QueueName, Result, Storage, Timestamp};
use std::{cmp::Reverse, fmt, str::FromStr};

/// The most partitions that a command looks at for an order other than that of the keys.
pub const PARTITIONS_LOOKED_AT_MAX: usize = 10_000;

/// The order of a listing of partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartitionOrder {
    /// By the bytes of their keys.
    #[default]
    Key,
    /// Those first whose leases are the largest share of their limit.
    Fullest,
    /// Those first whose oldest due job has been due the longest.
    LongestWaiting,
}

/// A word that names no order of partitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no order of partitions, which are: key, fullest, longest-waiting")]
pub struct UnknownPartitionOrder(String);

/// Which partitions of a queue a face lists: the first in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionsToRead {
    /// The order.
    pub order: PartitionOrder,
    /// They begin behind this key; `None` at the first.
    pub after: Option<Partition>,
    /// How many are listed.
    pub limit: usize,
    /// How many partitions from there on are looked at for an order other than that of the keys.
    pub looked_at_max: usize,
}

/// The first partitions of a queue in an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partitions {
    /// In their order.
    pub partitions: Vec<PartitionStatus>,
    /// Whether there are more behind them.
    pub has_more: bool,
    /// Whether more partitions stood in the queue than were looked at, so that others may belong
    /// before these.
    pub is_cut: bool,
    /// When they were read, by store time.
    pub now: Timestamp,
}

impl PartitionsToRead {
    /// Reads them.
    ///
    /// # Errors
    /// The errors of [`Storage::partitions`]: `Unsupported` for a store without partitions.
    pub async fn read(self, store: &dyn Storage, queue: &QueueName) -> Result<Partitions> {
        let Self { order, after, limit, looked_at_max } = self;
        let look_at = if order == PartitionOrder::Key { limit } else { looked_at_max };
        let mut found = Partitions::default();
        // One more says whether there are more.
        let left = |found: &Partitions| look_at.saturating_add(1).saturating_sub(found.partitions.len());
        let mut next = Some(PartitionQuery { queue: queue.clone(), after, limit: left(&found) });
        while let Some(query) = next.take() {
            let page = store.partitions(query).await?;
            found.now = page.now;
            found.partitions.extend(page.partitions);
            let left = left(&found);
            next = page.next.filter(|_| left > 0).map(|next| PartitionQuery { limit: left, ..next });
        }
        found.is_cut = order != PartitionOrder::Key && found.partitions.len() > look_at;
        order.sort(&mut found.partitions);
        found.has_more = found.is_cut || found.partitions.len() > limit;
        found.partitions.truncate(limit);
        Ok(found)
    }
}

impl PartitionOrder {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::Key, Self::Fullest, Self::LongestWaiting];

    /// The word of the order.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Fullest => "fullest",
            Self::LongestWaiting => "longest-waiting",
        }
    }

    /// Sorts partitions that are in the order of their keys, which equal ones keep.
    fn sort(self, partitions: &mut [PartitionStatus]) {
        match self {
            Self::Key => {}
            Self::Fullest => partitions.sort_by_key(|one| (Reverse(per_mille(one)), Reverse(one.waiting))),
            Self::LongestWaiting => {
                partitions.sort_by_key(|one| (one.oldest_due.is_none(), one.oldest_due));
            }
        }
    }
}

/// How full a partition is; one that is paused is full.
fn per_mille(PartitionStatus { leases, limit, .. }: &PartitionStatus) -> u64 {
    let share = |running| leases.saturating_mul(1_000).checked_div(u64::from(running)).unwrap_or(1_000);
    limit.running.map_or(0, share)
}

impl fmt::Display for PartitionOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PartitionOrder {
    type Err = UnknownPartitionOrder;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|order| order.as_str() == word);
        found.ok_or_else(|| UnknownPartitionOrder(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::Limit;

    #[test]
    fn the_fullest_and_the_longest_waiting_come_first_and_equal_ones_by_key() {
        let status = |key, leases, running, oldest: Option<i64>| PartitionStatus {
            partition: Partition::from_static(key),
            leases,
            waiting: 1,
            oldest_due: oldest.map(Timestamp::from_millis),
            limit: Limit { running, ..Limit::default() },
            has_own_limit: false,
        };
        let mut all = [
            status("free", 9, None, Some(5)),
            status("half", 1, Some(2), None),
            status("lowered", 3, Some(2), Some(1)),
            status("paused", 0, Some(0), Some(9)),
            status("full", 2, Some(2), Some(1)),
        ];
        let mut keys = |order: PartitionOrder| {
            all.sort_by(|a, b| a.partition.cmp(&b.partition));
            order.sort(&mut all);
            all.each_ref().map(|one| one.partition.to_string())
        };
        assert_eq!(keys(PartitionOrder::Fullest), ["lowered", "full", "paused", "half", "free"]);
        assert_eq!(keys(PartitionOrder::LongestWaiting), ["full", "lowered", "free", "paused", "half"]);
        assert_eq!(keys(PartitionOrder::Key), ["free", "full", "half", "lowered", "paused"]);
    }
}
