//! The partitions of a queue, with its limits, on the page of the queue.

use super::super::sorting::{ColumnView, SortColumn, heads};
use crate::{problem::Result, visit::Visit};
use queue_core::{Limit, LimitScope, QueueName};
use queue_view::{LimitsView, PartitionOrder, PartitionView, Partitions, PartitionsToRead};
use std::{sync::Arc, time::Duration};

/// The partitions that are shown.
const SHOWN: usize = 20;
/// The partitions that are looked at for the first of an order: one page of the store.
const LOOKED_AT_MAX: usize = 999;
const AGE: Duration = Duration::from_secs(3);

/// The columns, of which three sort the table.
const SORTED: [SortColumn; 3] = [
    SortColumn::word("key", "Partition"),
    SortColumn::number("fullest", "Leases"),
    SortColumn::number("longest-waiting", "Oldest due"),
];

/// The table; absent where the store has no partitions, or the queue no partition and no limit.
pub(super) struct PartitionsTable {
    pub(super) head: Vec<ColumnView>,
    pub(super) rows: Vec<PartitionRow>,
    /// The limits of more than one partition, in words.
    pub(super) limits: Vec<String>,
    pub(super) has_more: bool,
}

pub(super) struct PartitionRow {
    pub(super) key: String,
    /// Its jobs.
    pub(super) href: String,
    pub(super) leases: String,
    pub(super) is_full: bool,
    pub(super) weight: String,
    pub(super) limit: &'static str,
    pub(super) waiting: String,
    pub(super) oldest_due: String,
}

/// What was read of the store.
struct Found {
    limits: Vec<(LimitScope, Limit)>,
    partitions: Partitions,
}

/// Reads the table.
pub(super) async fn table(visit: &Visit, queue: &QueueName) -> Result<Option<PartitionsTable>> {
    if !visit.storage().capabilities().limits.partitions {
        return Ok(None);
    }
    let order: PartitionOrder =
        visit.query.get("partitions").and_then(|word| word.parse().ok()).unwrap_or(PartitionOrder::Fullest);
    let found = read(visit, queue, order).await?;
    let Found { limits, partitions: Partitions { partitions, has_more, now, .. } } = &*found;
    if limits.is_empty() && partitions.is_empty() {
        return Ok(None);
    }
    let rows = partitions.iter().map(|status| row(visit, queue, &PartitionView::of(status, *now)));
    Ok(Some(PartitionsTable {
        head: head(visit, queue, order),
        rows: rows.collect(),
        limits: limits_words(limits),
        has_more: *has_more,
    }))
}

async fn read(visit: &Visit, queue: &QueueName, order: PartitionOrder) -> Result<Arc<Found>> {
    let (storage, name) = (visit.storage().clone(), queue.clone());
    let read = async move {
        let wanted = PartitionsToRead { order, after: None, limit: SHOWN, looked_at_max: LOOKED_AT_MAX };
        Ok(Found { limits: storage.limits(&name).await?, partitions: wanted.read(&*storage, &name).await? })
    };
    let key = visit.key("partitions", &format!("{queue}\u{0}{order}"));
    visit.app.snapshots.get(key, AGE, read).await
}

fn head(visit: &Visit, queue: &QueueName, order: PartitionOrder) -> Vec<ColumnView> {
    heads(&SORTED, Some(order.as_str()), |name| {
        visit.link("queue", &[("queue", queue.as_str()), ("partitions", name)])
    })
}

/// The limits that no single partition has: `Each partition: 3 at once, weight 1.`
fn limits_words(limits: &[(LimitScope, Limit)]) -> Vec<String> {
    let words = |(of, key, limit): (&str, Option<&str>, queue_view::LimitView)| {
        let weight = limit.weight_words();
        match (of, key) {
            ("each", None) => {
                Some(format!("Each partition: {} at once, weight {weight}.", limit.running_words()))
            }
            (_, None) => Some(format!("Jobs without a partition: weight {weight}.")),
            (_, Some(_)) => None,
        }
    };
    LimitsView::of(limits).rows().filter_map(words).collect()
}

fn row(visit: &Visit, queue: &QueueName, view: &PartitionView<'_>) -> PartitionRow {
    PartitionRow {
        key: view.key().to_owned(),
        href: visit.link("jobs", &[("queue", queue.as_str()), ("partition", view.key())]),
        leases: view.leases_words(),
        is_full: view.is_full(),
        weight: view.limit().weight_words(),
        limit: if view.has_own_limit() { "its own" } else { "of each" },
        waiting: view.waiting_words(),
        oldest_due: view.oldest_due_words(),
    }
}
