//! Keys of partitions: their records, their fronts, their due jobs, and limits.

use super::{Family, Key, PRIORITY_BYTES, beyond, of_queue, ordered_priority, with};
use queue_core::{
    LimitScope, Partition, QueueName,
    lifecycle::{Opening, Turn, TurnPlace},
};
use std::ops::Range;

const EACH_PARTITION: u8 = 0;
const UNPARTITIONED: u8 = 1;
const PARTITION: u8 = 2;

/// A partition, whose key ends this one.
pub(crate) fn partition(queue: &QueueName, partition: &Partition) -> Key {
    with(of_queue(Family::Partitions, queue), partition.as_str().as_bytes())
}

/// What a key of [`partition`] ends with.
pub(crate) fn partition_of<'k>(queue: &QueueName, key: &'k [u8]) -> &'k [u8] {
    &key[of_queue(Family::Partitions, queue).len()..]
}

/// The due jobs of a partition, or the ones without a partition, in claim order.
pub(crate) fn due_of(queue: &QueueName, partition: Option<&Partition>) -> Range<Key> {
    let prefix = due_prefix(queue, partition);
    prefix.clone()..beyond(prefix)
}

/// The entry of a due job by its place in claim order.
pub(crate) fn due(queue: &QueueName, partition: Option<&Partition>, place: &[u8]) -> Key {
    with(due_prefix(queue, partition), place)
}

/// The entry of a due job in the index over all partitions.
pub(crate) fn partition_due(queue: &QueueName, place: &[u8]) -> Key {
    with(of_queue(Family::PartitionDue, queue), place)
}

/// The front of a partition, whose key ends this one, or of the jobs without one.
pub(crate) fn front(queue: &QueueName, place: TurnPlace, partition: Option<&Partition>) -> Key {
    let TurnPlace { opening: Opening { priority, is_limited }, turn } = place;
    let place = with(fronts_prefix(queue, is_limited), &ordered_priority(priority));
    let turned = with(place, &turn.as_u64().to_be_bytes());
    with(turned, partition.map_or("", Partition::as_str).as_bytes())
}

/// The fronts of partitions with a limit, or without one.
pub(crate) fn fronts(queue: &QueueName, is_limited: bool) -> Range<Key> {
    let prefix = fronts_prefix(queue, is_limited);
    prefix.clone()..beyond(prefix)
}

/// The fronts among them whose next job has this priority.
pub(crate) fn fronts_of_priority(queue: &QueueName, is_limited: bool, priority: i16) -> Range<Key> {
    let prefix = with(fronts_prefix(queue, is_limited), &ordered_priority(priority));
    prefix.clone()..beyond(prefix)
}

/// The priority, the turn and the partition of a key of [`front`]; no partition is empty.
pub(crate) fn front_of<'k>(queue: &QueueName, key: &'k [u8]) -> Option<(i16, Turn, &'k [u8])> {
    let rest = key.get(fronts_prefix(queue, false).len()..)?;
    let (priority, rest) = rest.split_first_chunk::<PRIORITY_BYTES>()?;
    let (turn, partition) = rest.split_first_chunk()?;
    let priority = (u16::from_be_bytes(*priority) ^ (1 << 15)).cast_signed();
    Some((priority, Turn::from_u64(u64::from_be_bytes(*turn)), partition))
}

/// The limit of a scope; `None` for a scope that this library does not know. The keys sort as the
/// scopes do.
pub(crate) fn limit(queue: &QueueName, scope: &LimitScope) -> Option<Key> {
    let (code, partition) = match scope {
        LimitScope::EachPartition => (EACH_PARTITION, ""),
        LimitScope::Unpartitioned => (UNPARTITIONED, ""),
        LimitScope::Partition(partition) => (PARTITION, partition.as_str()),
        _ => return None,
    };
    Some(with(with(of_queue(Family::Limits, queue), &[code]), partition.as_bytes()))
}

/// The scope of a key of [`limit`].
pub(crate) fn scope_of(queue: &QueueName, key: &[u8]) -> Option<LimitScope> {
    match key.get(of_queue(Family::Limits, queue).len()..)? {
        [EACH_PARTITION] => Some(LimitScope::EachPartition),
        [UNPARTITIONED] => Some(LimitScope::Unpartitioned),
        [PARTITION, partition @ ..] => {
            let partition = Partition::new(std::str::from_utf8(partition).ok()?).ok()?;
            Some(LimitScope::Partition(partition))
        }
        _ => None,
    }
}

fn due_prefix(queue: &QueueName, partition: Option<&Partition>) -> Key {
    let Some(partition) = partition else { return of_queue(Family::Ready, queue) };
    let partition = partition.as_str().as_bytes();
    let len = u8::try_from(partition.len()).expect("a partition has at most 255 bytes");
    with(with(of_queue(Family::PartitionReady, queue), &[len]), partition)
}

fn fronts_prefix(queue: &QueueName, is_limited: bool) -> Key {
    with(of_queue(Family::PartitionFronts, queue), &[u8::from(is_limited)])
}
