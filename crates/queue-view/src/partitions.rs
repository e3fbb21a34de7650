//! Partitions and limits, as every face shows them.

use crate::words::{millis, number};
use queue_core::{
    Limit, LimitScope, Partition, PartitionQuery, PartitionStatus, QueueName, Result, Storage, Timestamp,
};
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeMap, fmt, str::FromStr};

/// The most partitions that a command looks at for an order other than that of the keys.
pub const PARTITIONS_LOOKED_AT_MAX: usize = 10_000;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Limit))]
pub struct LimitView {
    /// The most jobs of a partition that are leased at once: 0 pauses it, and `null` is no limit.
    running: Option<u32>,
    /// How many jobs a partition gets for one of a partition of weight 1.
    weight: u16,
}

/// The limits of a queue, by what they hold for: what `queue limits ls --json` answers, and the
/// service. A change of limits is a document of the same shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = QueueLimits))]
pub struct LimitsView<'a> {
    /// Of each partition by itself that has no limit of its own; `null` if there is none.
    each: Option<LimitView>,
    /// Of the jobs without a partition, which have a weight alone; `null` if there is none.
    unpartitioned: Option<LimitView>,
    /// Of single partitions, by their keys.
    partitions: BTreeMap<&'a str, LimitView>,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Partition))]
pub struct PartitionView<'a> {
    /// Its key.
    partition: &'a str,
    /// How many of its jobs are leased.
    leases: u64,
    /// The limit in force, its own or that of each partition.
    limit: LimitView,
    /// Whether the limit is its own.
    has_own_limit: bool,
    /// Whether its leases have reached its limit, so that its due jobs wait for a slot.
    is_full: bool,
    /// How many of its jobs wait, due or not; counted up to 1000.
    waiting: u64,
    /// For how long its oldest due job has been due; `null` if none is.
    oldest_due_age_ms: Option<u64>,
}

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

impl LimitView {
    /// How many run at once, in words: `10`, or `unlimited`.
    pub fn running_words(&self) -> String {
        self.running.map_or_else(|| "unlimited".to_owned(), |running| number(u64::from(running)))
    }

    /// The weight in words.
    pub fn weight_words(&self) -> String {
        number(u64::from(self.weight))
    }
}

impl From<Limit> for LimitView {
    fn from(Limit { running, weight }: Limit) -> Self {
        Self { running, weight }
    }
}

impl<'a> LimitsView<'a> {
    /// The limits as a store lists them.
    pub fn of(limits: &'a [(LimitScope, Limit)]) -> Self {
        let mut view = Self::default();
        for (scope, limit) in limits {
            let limit = LimitView::from(*limit);
            match scope {
                LimitScope::EachPartition => view.each = Some(limit),
                LimitScope::Unpartitioned => view.unpartitioned = Some(limit),
                LimitScope::Partition(partition) => {
                    view.partitions.insert(partition.as_str(), limit);
                }
                // A scope of a later version has no place here.
                _ => {}
            }
        }
        view
    }

    /// Each limit, with the word for what it holds for, and the key of a single partition.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Option<&'a str>, LimitView)> {
        let each = self.each.map(|limit| (scope_word(&LimitScope::EachPartition), None, limit));
        let others = self.unpartitioned.map(|limit| (scope_word(&LimitScope::Unpartitioned), None, limit));
        let partitions = self.partitions.iter().map(|(key, limit)| ("partition", Some(*key), *limit));
        each.into_iter().chain(others).chain(partitions)
    }
}

/// The word for what a limit holds for: `each`, `unpartitioned` or `partition`.
pub fn scope_word(scope: &LimitScope) -> &'static str {
    match scope {
        LimitScope::EachPartition => "each",
        LimitScope::Unpartitioned => "unpartitioned",
        LimitScope::Partition(_) => "partition",
        _ => "other",
    }
}

impl<'a> PartitionView<'a> {
    /// A partition as it is at a store time.
    pub fn of(status: &'a PartitionStatus, now: Timestamp) -> Self {
        let PartitionStatus { partition, leases, waiting, oldest_due, limit, has_own_limit } = status;
        Self {
            partition: partition.as_str(),
            leases: *leases,
            limit: (*limit).into(),
            has_own_limit: *has_own_limit,
            is_full: status.is_full(),
            waiting: *waiting,
            oldest_due_age_ms: oldest_due.map(|due| millis(now.since(due))),
        }
    }

    /// Its key.
    pub const fn key(&self) -> &'a str {
        self.partition
    }

    /// The leases in words, of the limit if there is one: `3 of 10`, `3`.
    pub fn leases_words(&self) -> String {
        leases_words(self.leases, self.limit.running)
    }

    /// How many jobs wait, such as `7`, or `1 000+` if not all were counted.
    pub fn waiting_words(&self) -> String {
        let is_more = self.waiting >= PartitionStatus::WAITING_MAX;
        format!("{}{}", number(self.waiting), if is_more { "+" } else { "" })
    }

    /// For how long the oldest due job has been due, in words; empty if none is.
    pub fn oldest_due_words(&self) -> String {
        let age = |millis| crate::words::age(std::time::Duration::from_millis(millis));
        self.oldest_due_age_ms.map(age).unwrap_or_default()
    }

    /// The limit in force.
    pub const fn limit(&self) -> LimitView {
        self.limit
    }

    /// Whether the limit is its own.
    pub const fn has_own_limit(&self) -> bool {
        self.has_own_limit
    }

    /// Whether its leases have reached its limit.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }
}

/// Leases in words, of the limit if there is one.
pub(crate) fn leases_words(leases: u64, running: Option<u32>) -> String {
    match running {
        Some(running) => format!("{} of {}", number(leases), number(u64::from(running))),
        None => number(leases),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn counts_say_what_was_not_counted_and_what_the_limit_is() {
        let status = PartitionStatus {
            partition: Partition::from_static("acme"),
            leases: 3,
            waiting: PartitionStatus::WAITING_MAX,
            oldest_due: Some(Timestamp::from_millis(2_000)),
            limit: Limit { running: Some(3), ..Limit::default() },
            has_own_limit: true,
        };
        let view = PartitionView::of(&status, Timestamp::from_millis(5_000));
        let words = [view.leases_words(), view.waiting_words(), view.oldest_due_words()];
        assert_eq!(words, ["3 of 3", "1\u{202f}000+", "3 s"]);
        assert!(view.is_full());
    }
}
