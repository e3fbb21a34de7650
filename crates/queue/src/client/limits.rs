//! The limits of a queue: how many jobs of a partition run at once, and how large its share is.

use crate::Queue;
use queue_core::{Limit, LimitScope, Partition, PartitionPage, PartitionQuery, Result};

/// Limits of a queue that are to be set, by [`Queue::limits`].
///
/// Limits live in the store, so all workers keep to them, and a change works at once, without a
/// restart. They count leases: a job whose lease has lapsed holds its slot until it is rescued, and
/// a handler that goes on after that runs beside its successor.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use queue::{JobOptions, prelude::*, queue_core::{Limit, LimitScope}};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let reports: Queue<u32> = Queue::new(open("memory:").await?, "reports")?;
/// // At most three of a customer at once, and ten of one of them.
/// reports.limits().each_partition(3).partition("acme", 10).declare().await?;
/// for customer in ["acme", "zeta"] {
///     for day in 1..=20 {
///         let options = JobOptions::new().partition(customer);
///         reports.enqueue_with(format!("{customer}-{day}"), day, options).await?;
///     }
/// }
/// let claimed = reports.dequeue_many(100, Duration::ZERO).await?;
/// assert_eq!(claimed.len(), 13);
///
/// let status = reports.partitions(None, 10).await?.partitions.remove(0);
/// assert_eq!((status.partition.as_str(), status.leases, status.waiting), ("acme", 10, 10));
/// assert!(status.is_full());
///
/// // An operator pauses one of them, and gives another a double share.
/// let double = Limit { running: Some(3), weight: 2 };
/// reports.limits().partition("acme", 0).limit(LimitScope::EachPartition, double).set().await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "limits are set by `set` or `declare`"]
pub struct LimitsToSet<'q, P, R> {
    queue: &'q Queue<P, R>,
    changes: Vec<(LimitScope, Option<Limit>)>,
    /// What is wrong with the first scope that is.
    wrong: Option<queue_core::Error>,
}

impl<P, R> Queue<P, R> {
    /// Limits of this queue that are to be set or taken away.
    pub fn limits(&self) -> LimitsToSet<'_, P, R> {
        LimitsToSet { queue: self, changes: Vec::new(), wrong: None }
    }

    /// The limits of this queue, in the order of their scopes.
    ///
    /// # Errors
    /// `Unsupported` for a store without partitions; see its capabilities.
    pub async fn limits_set(&self) -> Result<Vec<(LimitScope, Limit)>> {
        self.shared.storage.limits(&self.shared.name).await
    }

    /// One page of the partitions of this queue, behind `after`: those with jobs that wait or run,
    /// and those with a limit of their own.
    ///
    /// # Errors
    /// `Unsupported` for a store without partitions; see its capabilities.
    pub async fn partitions(&self, after: Option<Partition>, limit: usize) -> Result<PartitionPage> {
        let query = PartitionQuery { queue: self.shared.name.clone(), after, limit };
        self.shared.storage.partitions(query).await
    }
}

impl<P, R> LimitsToSet<'_, P, R> {
    /// At most this many jobs of each partition run at once that has no limit of its own.
    pub fn each_partition(self, running: u32) -> Self {
        self.limit(LimitScope::EachPartition, Limit { running: Some(running), ..Limit::default() })
    }

    /// At most this many jobs of a partition run at once; 0 pauses it.
    pub fn partition(mut self, partition: impl AsRef<str>, running: u32) -> Self {
        match Partition::new(partition) {
            Ok(partition) => {
                let limit = Limit { running: Some(running), ..Limit::default() };
                self.limit(LimitScope::Partition(partition), limit)
            }
            Err(invalid) => {
                self.wrong.get_or_insert(invalid.into());
                self
            }
        }
    }

    /// Any limit: a number of jobs, a weight, or both.
    pub fn limit(mut self, scope: LimitScope, limit: Limit) -> Self {
        self.changes.push((scope, Some(limit)));
        self
    }

    /// Takes a limit away.
    pub fn without(mut self, scope: LimitScope) -> Self {
        self.changes.push((scope, None));
        self
    }

    /// Sets and takes away what was named, in one step. Other limits stay.
    ///
    /// # Errors
    /// `Unsupported` for a store without partitions, and `Invalid` for a partition that is no name
    /// and for a limit that cannot be; then nothing has changed. Dropping the future leaves all of
    /// the changes made, or none.
    pub async fn set(self) -> Result<()> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let shared = &self.queue.shared;
        shared.storage.set_limits(&shared.name, self.changes).await
    }

    /// Sets the limits of scopes that have none, as a program does when it starts: what an operator
    /// has set since stays. Answers whether it set any.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn declare(mut self) -> Result<bool> {
        let present = self.queue.limits_set().await?;
        let has = |scope: &LimitScope| present.iter().any(|(present, _)| present == scope);
        self.changes.retain(|(scope, limit)| limit.is_some() && !has(scope));
        let is_any = !self.changes.is_empty() || self.wrong.is_some();
        if is_any {
            self.set().await?;
        }
        Ok(is_any)
    }
}
