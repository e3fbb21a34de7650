//! Limits and partitions as the documents of the service have them.

use super::job_json::at;
use queue_core::{
    Limit, LimitScope, Moment, Partition, PartitionPage, PartitionQuery, PartitionStatus, Result,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A `LimitView` of `queue-view`.
#[derive(Clone, Copy, Debug, Deserialize)]
struct LimitJson {
    running: Option<u32>,
    weight: u16,
}

/// A `LimitsView` of `queue-view`.
#[derive(Debug, Deserialize)]
pub(super) struct QueueLimitsJson {
    each: Option<LimitJson>,
    unpartitioned: Option<LimitJson>,
    partitions: BTreeMap<String, LimitJson>,
}

/// A `PartitionView` of `queue-view`.
#[derive(Debug, Deserialize)]
struct PartitionJson {
    partition: String,
    leases: u64,
    limit: LimitJson,
    has_own_limit: bool,
    waiting: u64,
    oldest_due_age_ms: Option<i64>,
}

/// A page of partitions.
#[derive(Debug, Deserialize)]
pub(super) struct PartitionsJson {
    now_ms: i64,
    partitions: Vec<PartitionJson>,
    next: Option<String>,
}

impl LimitJson {
    const fn limit(self) -> Limit {
        Limit { running: self.running, weight: self.weight }
    }
}

impl QueueLimitsJson {
    /// The limits in the order of their scopes, as a store answers them.
    ///
    /// # Errors
    /// `Invalid` for a key that is none.
    pub(super) fn limits(&self) -> Result<Vec<(LimitScope, Limit)>> {
        let each = self.each.map(|limit| (LimitScope::EachPartition, limit.limit()));
        let unpartitioned = self.unpartitioned.map(|limit| (LimitScope::Unpartitioned, limit.limit()));
        let mut limits: Vec<_> = each.into_iter().chain(unpartitioned).collect();
        for (key, limit) in &self.partitions {
            limits.push((LimitScope::Partition(Partition::new(key)?), limit.limit()));
        }
        Ok(limits)
    }
}

impl PartitionsJson {
    /// The page of this query as a store would answer it.
    ///
    /// # Errors
    /// `Invalid` for a key that is none.
    pub(super) fn page(&self, query: &PartitionQuery) -> Result<PartitionPage> {
        let now = at(self.now_ms);
        let status = |shown: &PartitionJson| {
            Ok(PartitionStatus {
                partition: Partition::new(&shown.partition)?,
                leases: shown.leases,
                waiting: shown.waiting,
                oldest_due: shown.oldest_due_age_ms.map(|age| at(self.now_ms.saturating_sub(age))),
                limit: shown.limit.limit(),
                has_own_limit: shown.has_own_limit,
            })
        };
        let partitions = self.partitions.iter().map(status).collect::<Result<_>>()?;
        let page = query.page(partitions, Moment { now, clock: now });
        let after = self.next.as_deref().map(Partition::new).transpose()?;
        let next = after.map(|after| PartitionQuery { after: Some(after), ..query.clone() });
        Ok(PartitionPage { next, ..page })
    }
}

/// The document of changes, of which the last of a scope holds.
pub(super) fn changes_json(changes: &[(LimitScope, Option<Limit>)]) -> Value {
    let mut document = json!({"partitions": {}});
    for (scope, limit) in changes {
        let limit = limit
            .map_or(Value::Null, |Limit { running, weight }| json!({"running": running, "weight": weight}));
        match scope {
            LimitScope::EachPartition => document["each"] = limit,
            LimitScope::Unpartitioned => document["unpartitioned"] = limit,
            LimitScope::Partition(partition) => document["partitions"][partition.as_str()] = limit,
            // A scope that no service of this version has.
            other => document[format!("{other:?}")] = limit,
        }
    }
    document
}
