//! The layout of keys.
//!
//! | family | the rest of the key | value |
//! |---|---|---|
//! | `Mark`, `LastSeq` | nothing | the store's time; the newest life |
//! | `Name` | queue, by itself | nothing: the queues that ever had a job, a pause or a limit, in order |
//! | `Paused` | queue | until when claims of the queue give nothing: the number of a `Pause`; marks: whether it has `KindPause`, `Gated`, and `Partitions` or `Limits` |
//! | `KindPause` | queue, kind | until when claims give no job of the kind |
//! | `Count` | queue, slot | how many jobs are in a state, or scheduled |
//! | `Id` | queue, id | the `seq` of the life that holds the id |
//! | `Job` | queue, seq | the record: all that is small |
//! | `Payload`, `Result`, `Details` | queue, seq | the large parts, which a heartbeat leaves alone |
//! | `Headers`, `Attempts`, `EndSignals` | queue, seq | what few jobs have, and nothing for the others |
//! | `Ready` | queue, priority, due time, seq | bytes of the payload; due jobs in claim order |
//! | `Aside` | queue, kind, priority, due time, seq | the same and the partition; due jobs that a claim met while their kind was paused |
//! | `Scheduled` | queue, due time, seq | the same, the priority and the partition; jobs whose time is to come |
//! | `Gated` | queue, time-out, seq | as `Scheduled`; jobs that wait behind a closed gate |
//! | `Lease`, `Purge`, `Finished` | queue, time, seq | nothing: leases, purges, ends by their times |
//! | `Partitions` | queue, partition | how many of its jobs are leased and wait, and where it stands |
//! | `PartitionFronts` | queue, whether it has a limit, priority, turn, partition | nothing: those with a due job and a slot, in the order of claims; the jobs without a partition stand there too |
//! | `PartitionReady` | queue, partition, priority, due time, seq | as `Ready`; the due jobs of a partition |
//! | `PartitionDue` | queue, priority, due time, seq | nothing: the same jobs of all partitions |
//! | `Turns` | queue | the turn that was taken last, and where the jobs without a partition stand |
//! | `Limits` | queue, scope, partition | the weight, and how many jobs may be leased |
//! | `Worker` | id | until when it is shown, and what |
//! | `Series` | series, slot, writer | until when the entry is kept, and its bytes |
//! | `SeriesExpiry` | time, series, slot, writer | nothing: the entries by the ends of their times |
//!
//! Two rules make keys unambiguous. The length of the name of a queue or series stands before the
//! name, and everything after the name is of fixed width, except an id, a writer or a partition,
//! which ends its key or has its length before it: so two names, or a name and an id, cannot be
//! confused. And numbers are written so that their bytes sort as the numbers do, including negative
//! ones.

mod kinds;
mod partitions;
mod series;
#[cfg(test)]
mod tests;

pub(crate) use kinds::{aside, aside_of_ready, kind_of, kind_pause, ready_of_aside};
pub(crate) use partitions::{
    due, due_of, front, front_of, fronts, fronts_of_priority, limit, partition, partition_due, partition_of,
    scope_of,
};
pub(crate) use series::{
    series, series_expired, series_expiry, series_of_expiry, series_range, slot_and_writer,
};

use queue_core::{JobId, JobMeta, QueueName, Seq, Timestamp, WorkerId};
use std::ops::Range;

pub(crate) type Key = Vec<u8>;

/// The family of a key; its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Mark = 1,
    LastSeq,
    Id,
    Job,
    Payload,
    Result,
    Details,
    Ready,
    Lease,
    Purge,
    Finished,
    Name,
    Headers,
    Attempts,
    Scheduled,
    Paused,
    Count,
    Worker,
    Series,
    SeriesExpiry,
    KindPause,
    Aside,
    Gated,
    EndSignals,
    Partitions,
    PartitionFronts,
    PartitionReady,
    PartitionDue,
    Turns,
    Limits,
}

const SEQ_BYTES: usize = size_of::<u64>();
const TIME_BYTES: usize = size_of::<i64>();
const PRIORITY_BYTES: usize = size_of::<i16>();
/// The end of an entry in claim order.
const PLACE_BYTES: usize = PRIORITY_BYTES + TIME_BYTES + SEQ_BYTES;

/// A key of the whole store.
pub(crate) fn global(family: Family) -> Key {
    vec![family as u8]
}

pub(crate) fn id(queue: &QueueName, id: &JobId) -> Key {
    with(of_queue(Family::Id, queue), id.as_str().as_bytes())
}

/// A queue by its name, which ends the key.
pub(crate) fn name(queue: &QueueName) -> Key {
    with(global(Family::Name), queue.as_str().as_bytes())
}

/// The names that sort at or after this text.
pub(crate) fn names_from(start: &str) -> Range<Key> {
    with(global(Family::Name), start.as_bytes())..beyond(global(Family::Name))
}

/// The name that a key of [`name`] ends with.
pub(crate) fn name_of(key: &[u8]) -> &[u8] {
    &key[1..]
}

/// A part of a life.
pub(crate) fn life(family: Family, queue: &QueueName, seq: Seq) -> Key {
    with(of_queue(family, queue), &seq.get().to_be_bytes())
}

/// A fact about a queue that has no further parts: that it is paused.
pub(crate) fn of_queue_alone(family: Family, queue: &QueueName) -> Key {
    of_queue(family, queue)
}

/// The number of jobs of a queue in a slot.
pub(crate) fn count(queue: &QueueName, slot: u8) -> Key {
    with(of_queue(Family::Count, queue), &[slot])
}

/// The slot that a key of [`count`] ends with.
pub(crate) fn slot_of(key: &[u8]) -> u8 {
    *key.last().expect("keys are not empty")
}

pub(crate) fn worker(id: &WorkerId) -> Key {
    with(global(Family::Worker), id.as_str().as_bytes())
}

/// The place of a due job in claim order, with which its entries end.
pub(crate) fn place(priority: i16, run_at: Timestamp, seq: Seq) -> Key {
    timed(ordered_priority(priority).to_vec(), run_at, seq)
}

/// The place of a record, as [`place`].
pub(crate) fn place_in_order(meta: &JobMeta) -> Key {
    place(meta.priority, meta.run_at, meta.seq)
}

/// The place that an entry of a due job ends with.
pub(crate) fn place_of(entry: &[u8]) -> &[u8] {
    &entry[entry.len() - PLACE_BYTES..]
}

/// The priority of an entry of a due job.
pub(crate) fn priority_of(entry: &[u8]) -> i16 {
    let (priority, _) = place_of(entry).split_first_chunk().expect("a place begins with the priority");
    (u16::from_be_bytes(*priority) ^ (1 << 15)).cast_signed()
}

/// The entry of a job that waits for its time, or behind a closed gate for its time-out.
pub(crate) fn waiting(meta: &JobMeta) -> Key {
    let is_behind_gate = meta.gate.as_ref().is_some_and(|gate| gate.is_closed(meta.epoch));
    let family = if is_behind_gate { Family::Gated } else { Family::Scheduled };
    timed(of_queue(family, &meta.queue), meta.run_at, meta.seq)
}

/// The name of the queue of a key.
pub(crate) fn queue_of(key: &[u8]) -> &[u8] {
    &key[2..2 + usize::from(key[1])]
}

/// The family of a key.
pub(crate) fn is_of(family: Family, key: &[u8]) -> bool {
    key.first() == Some(&(family as u8))
}

/// The index entries of a record, without the entries of a waiting job, which have values.
pub(crate) fn times(meta: &JobMeta) -> Vec<Key> {
    let timed = |family, at: Timestamp| timed(of_queue(family, &meta.queue), at, meta.seq);
    let lease = meta.lease.as_ref().map(|lease| timed(Family::Lease, lease.expires_at));
    let purge = meta.purge_at.map(|at| timed(Family::Purge, at));
    let finished = meta.finished_at.map(|at| timed(Family::Finished, at));
    [lease, purge, finished].into_iter().flatten().collect()
}

/// The keys of a family in all queues.
pub(crate) fn family(family: Family) -> Range<Key> {
    let prefix = global(family);
    prefix.clone()..beyond(prefix)
}

/// The keys of a family in one queue.
pub(crate) fn all(family: Family, queue: &QueueName) -> Range<Key> {
    let prefix = of_queue(family, queue);
    prefix.clone()..beyond(prefix)
}

/// The entries of a time index up to and including a moment.
pub(crate) fn until(family: Family, queue: &QueueName, at: Timestamp) -> Range<Key> {
    let prefix = of_queue(family, queue);
    let last = with(prefix.clone(), &ordered(at));
    prefix..beyond(last)
}

/// The start of the next priority in the ready index.
pub(crate) fn next_priority(mut ready: Key) -> Key {
    ready.truncate(ready.len() - SEQ_BYTES - TIME_BYTES);
    beyond(ready)
}

/// The `seq` that a key ends with.
pub(crate) fn seq_of(key: &[u8]) -> Seq {
    let (_, seq) = key.split_last_chunk::<SEQ_BYTES>().expect("keys of lives end with a seq");
    Seq::new(u64::from_be_bytes(*seq))
}

/// The time of an index entry.
pub(crate) fn time_of(key: &[u8]) -> Timestamp {
    let (_, tail) =
        key.split_last_chunk::<{ TIME_BYTES + SEQ_BYTES }>().expect("index keys end with time and seq");
    let (time, _) = tail.split_first_chunk::<TIME_BYTES>().expect("the tail begins with the time");
    Timestamp::from_millis((u64::from_be_bytes(*time) ^ SIGN).cast_signed())
}

/// The smallest key that sorts after this one.
pub(crate) fn after(key: &[u8]) -> Key {
    with(key.to_vec(), &[0])
}

/// Flipping the sign bit makes negative numbers sort first.
const SIGN: u64 = 1 << 63;

fn ordered(at: Timestamp) -> [u8; TIME_BYTES] {
    (at.as_millis().cast_unsigned() ^ SIGN).to_be_bytes()
}

fn ordered_priority(priority: i16) -> [u8; PRIORITY_BYTES] {
    (priority.cast_unsigned() ^ (1 << 15)).to_be_bytes()
}

fn of_queue(family: Family, queue: &QueueName) -> Key {
    named(family, queue.as_str())
}

fn named(family: Family, name: &str) -> Key {
    let name = name.as_bytes();
    let len = u8::try_from(name.len()).expect("a name has at most 255 bytes");
    with(vec![family as u8, len], name)
}

fn timed(prefix: Key, at: Timestamp, seq: Seq) -> Key {
    with(with(prefix, &ordered(at)), &seq.get().to_be_bytes())
}

fn with(mut key: Key, tail: &[u8]) -> Key {
    key.extend_from_slice(tail);
    key
}

/// The first key that sorts after all keys with the prefix.
fn beyond(mut prefix: Key) -> Key {
    while prefix.pop_if(|byte| *byte == u8::MAX).is_some() {}
    let last = prefix.last_mut().expect("the byte of a family is never the largest");
    *last += 1;
    prefix
}
