//! A partition as JSON.

use super::LimitView;
use crate::words::{age, millis, number};
use queue_core::{PartitionStatus, Timestamp};
use serde::Serialize;
use std::time::Duration;

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
        self.oldest_due_age_ms.map(|millis| age(Duration::from_millis(millis))).unwrap_or_default()
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
    use queue_core::{Limit, Partition};

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
