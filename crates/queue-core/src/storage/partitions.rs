//! The limits of a queue and of its partitions, and the listing of partitions.

use crate::{Error, Moment, NAME_BYTES_MAX, Partition, QueueName, Result, Timestamp};

/// What a limit holds for. If several hold for a partition, the most special one counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LimitScope {
    /// Each partition by itself that has no limit of its own.
    EachPartition,
    /// The jobs without a partition, which take turns as one partition. Such a limit has a weight
    /// alone.
    Unpartitioned,
    /// One partition, also before its first job.
    Partition(Partition),
}

/// How many jobs of a partition are leased at once, and how large its share of the claims is.
///
/// A slot is a lease: it is taken by the claim, and free in the step that ends the lease, be it a
/// settle, a rescue or a removal. A job that waits for its next attempt, or behind a gate, holds
/// none.
///
/// ```
/// use queue_core::{Limit, LimitScope};
///
/// let three_at_once = Limit { running: Some(3), ..Limit::default() };
/// assert!(three_at_once.check(&LimitScope::EachPartition).is_ok());
/// assert!(three_at_once.check(&LimitScope::Unpartitioned).is_err());
/// assert!(three_at_once.has_room(2) && !three_at_once.has_room(3));
/// assert!(Limit { weight: 0, ..three_at_once }.check(&LimitScope::EachPartition).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    /// The most jobs of a partition that are leased at once: 0 pauses it, and `None` is no limit.
    pub running: Option<u32>,
    /// How many jobs a partition gets for one of a partition of weight 1: from 1, the default, to
    /// [`WEIGHT_MAX`](Self::WEIGHT_MAX).
    pub weight: u16,
}

impl Default for Limit {
    fn default() -> Self {
        Self { running: None, weight: 1 }
    }
}

impl Limit {
    /// The largest weight.
    pub const WEIGHT_MAX: u16 = 1_000;

    /// The most limits of a queue, each with a scope of its own.
    pub const SCOPES_MAX: usize = 10_000;

    /// Refuses a limit that cannot be.
    ///
    /// # Errors
    /// `Invalid` for a weight that is 0 or too large, and for a number of jobs without a partition.
    pub fn check(&self, scope: &LimitScope) -> Result<()> {
        let refused = |why: String| Err(Error::invalid("set_limits", why));
        if !(1..=Self::WEIGHT_MAX).contains(&self.weight) {
            return refused(format!("a weight is from 1 to {}, not {}", Self::WEIGHT_MAX, self.weight));
        }
        if *scope == LimitScope::Unpartitioned && self.running.is_some() {
            return refused(
                "jobs without a partition have a weight and no limit of how many run; give them a partition"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Refuses more limits for a queue than it can have.
    ///
    /// # Errors
    /// `Invalid` if there would be more than [`SCOPES_MAX`](Self::SCOPES_MAX).
    pub fn check_room(limits: usize) -> Result<()> {
        if limits <= Self::SCOPES_MAX {
            return Ok(());
        }
        let most = Self::SCOPES_MAX;
        Err(Error::invalid("set_limits", format!("a queue has at most {most} limits, not {limits}")))
    }

    /// Whether one more job may be leased beside so many.
    pub fn has_room(&self, leases: u64) -> bool {
        self.running.is_none_or(|running| leases < u64::from(running))
    }
}

/// A request for the partitions of a queue, in the order of the bytes of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionQuery {
    /// The queue of the partitions.
    pub queue: QueueName,
    /// The page begins behind this key; `None` at the first one.
    pub after: Option<Partition>,
    /// The most partitions of the page, of which there are never more than
    /// [`LIMIT_MAX`](Self::LIMIT_MAX).
    pub limit: usize,
}

impl PartitionQuery {
    /// The most partitions of a page.
    pub const LIMIT_MAX: usize = 1_000;

    /// The first page.
    pub fn all(queue: QueueName, limit: usize) -> Self {
        Self { queue, after: None, limit }
    }

    /// A page of this partition alone, if the queue has it; see
    /// [`StorageExt::partition_of`](crate::StorageExt::partition_of).
    pub fn of(queue: QueueName, partition: &Partition) -> Self {
        Self { after: key_before(partition), ..Self::all(queue, 1) }
    }

    /// How many partitions the page has at most; at least one.
    pub fn page_limit(&self) -> usize {
        self.limit.clamp(1, Self::LIMIT_MAX)
    }

    /// The page of these partitions, which are all from its beginning on, or as many as the limit.
    pub fn page(&self, partitions: Vec<PartitionStatus>, moment: Moment) -> PartitionPage {
        let last = partitions.last().filter(|_| partitions.len() >= self.page_limit());
        let next = last.map(|last| Self { after: Some(last.partition.clone()), ..self.clone() });
        PartitionPage { partitions, next, now: moment.now, clock: moment.clock }
    }
}

/// One page of the partitions of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionPage {
    /// The partitions, in order.
    pub partitions: Vec<PartitionStatus>,
    /// The query for the next page; `None` at the end. The page behind a full one may be empty.
    pub next: Option<PartitionQuery>,
    /// The store's time.
    pub now: Timestamp,
    /// The reading of the store's clock.
    pub clock: Timestamp,
}

/// A partition as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionStatus {
    /// Its key.
    pub partition: Partition,
    /// How many of its jobs are leased.
    pub leases: u64,
    /// How many of its jobs wait, due or not; counted up to [`WAITING_MAX`](Self::WAITING_MAX).
    pub waiting: u64,
    /// When the oldest of its due jobs became due, which is for how long it waits. Jobs of kinds
    /// that a claim met while they were paused do not count.
    pub oldest_due: Option<Timestamp>,
    /// The limit in force, its own or that of each partition.
    pub limit: Limit,
    /// Whether the limit is its own.
    pub has_own_limit: bool,
}

impl PartitionStatus {
    /// Up to which number waiting jobs are counted.
    pub const WAITING_MAX: u64 = 1_000;

    /// Whether its leases have reached its limit, so that claims get none of its jobs.
    pub fn is_full(&self) -> bool {
        !self.limit.has_room(self.leases)
    }
}

/// The last key in the order of bytes that comes before this one; `None` before the first.
fn key_before(partition: &Partition) -> Option<Partition> {
    let mut chars = partition.as_str().chars();
    let last = chars.next_back()?;
    let mut before = chars.as_str().to_owned();
    if let Some(less) = ('\0'..last).rev().find(|less| !less.is_control()) {
        before.push(less);
        // The last characters of each length in UTF-8, as many as a key has room for.
        for most in ['\u{10ffff}', '\u{ffff}', '\u{7ff}', '~'] {
            while before.len() + most.len_utf8() <= NAME_BYTES_MAX {
                before.push(most);
            }
        }
    }
    Partition::new(before).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_stands_between_one_and_the_key_before_it() {
        let first = Partition::from_static(" ");
        assert_eq!(key_before(&first), None);
        let longest = "é".repeat(127);
        for key in ["a", "acme", "a ", "~", "\u{a0}", "\u{7ff}", "\u{800}", "\u{e000}", "\u{10000}", &longest]
        {
            let key = Partition::new(key).expect("a key");
            let before = key_before(&key).expect("it is not the first");
            assert!(before < key, "{before:?} {key:?}");
            // The next keys behind it: with the least character more, or with one that is higher.
            let next = |text: &str| Partition::new(text).is_ok_and(|next| before < next && next < key);
            let mut shorter = before.as_str().to_owned();
            assert!(!next(&format!("{before} ")), "{before:?} {key:?}");
            while let Some(last) = shorter.pop() {
                let higher = (last..=char::MAX).skip(1).find(|higher| !higher.is_control());
                let higher = higher.map(|higher| format!("{shorter}{higher}"));
                assert!(!higher.is_some_and(|higher| next(&higher)), "{before:?} {key:?}");
            }
        }
    }

    #[test]
    fn of_three_keys_in_a_row_each_is_found_alone() {
        let keys = ["ac", "acm", "acme"].map(Partition::from_static);
        for key in &keys {
            let after = PartitionQuery::of(QueueName::from_static("q"), key).after;
            let found = keys.iter().find(|found| after.as_ref().is_none_or(|after| *found > after));
            assert_eq!(found, Some(key));
        }
    }
}
