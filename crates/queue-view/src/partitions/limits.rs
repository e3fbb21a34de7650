//! The limits of a queue as JSON.

use crate::words::number;
use queue_core::{Limit, LimitScope};
use serde::Serialize;
use std::collections::BTreeMap;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Limit))]
pub struct LimitView {
    /// The most jobs of a partition that are leased at once: 0 pauses it, and `null` is no limit.
    pub(super) running: Option<u32>,
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
