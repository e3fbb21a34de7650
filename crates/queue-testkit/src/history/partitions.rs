//! Limits of partitions, in the terms of a history.

use queue_core::{Limit, LimitScope};
use serde::{Deserialize, Serialize};

/// A limit as a call sets or removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitView {
    /// The partition; `None` for each one that has no limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Whether there is a limit from now on.
    pub is_set: bool,
    /// The most jobs that are leased at once; `None` for any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<u64>,
}

impl LimitView {
    /// The limits that a call sets or removes. That of the jobs without a partition has a weight
    /// alone, on which no verdict depends.
    pub(super) fn all(limits: &[(LimitScope, Option<Limit>)]) -> Vec<Self> {
        limits.iter().filter_map(|(scope, limit)| Self::of(scope, limit.as_ref())).collect()
    }

    fn of(scope: &LimitScope, limit: Option<&Limit>) -> Option<Self> {
        let partition = match scope {
            LimitScope::EachPartition => None,
            LimitScope::Partition(key) => Some(key.as_str().to_owned()),
            _ => return None,
        };
        let running = limit.and_then(|limit| limit.running).map(u64::from);
        Some(Self { partition, is_set: limit.is_some(), running })
    }
}
