//! The layout of keys.
//!
//! | family | the rest of the key | value |
//! |---|---|---|
//! | `Mark`, `LastSeq` | nothing | the store's time; the newest life |
//! | `Name` | queue, by itself | nothing: the queues that ever had a job or a pause, in order |
//! | `Paused` | queue | until when claims of the queue give nothing: the number of a `Pause`; marks: whether it has `KindPause`, and `Gated` |
//! | `KindPause` | queue, kind | until when claims give no job of the kind |
//! | `Count` | queue, slot | how many jobs are in a state, or scheduled |
//! | `Id` | queue, id | the `seq` of the life that holds the id |
//! | `Job` | queue, seq | the record: all that is small |
//! | `Payload`, `Result`, `Details` | queue, seq | the large parts, which a heartbeat leaves alone |
//! | `Headers`, `Attempts`, `EndSignals` | queue, seq | what few jobs have, and nothing for the others |
//! | `Ready` | queue, priority, due time, seq | bytes of the payload; due jobs in claim order |
//! | `Aside` | queue, kind, priority, due time, seq | the same; due jobs that a claim met while their kind was paused |
//! | `Scheduled` | queue, due time, seq | the same and the priority; jobs whose time is to come |
//! | `Gated` | queue, time-out, seq | as `Scheduled`; jobs that wait behind a closed gate |
//! | `Lease`, `Purge`, `Finished` | queue, time, seq | nothing: leases, purges, ends by their times |
//! | `Worker` | id | until when it is shown, and what |
//! | `Series` | series, slot, writer | until when the entry is kept, and its bytes |
//! | `SeriesExpiry` | time, series, slot, writer | nothing: the entries by the ends of their times |
//!
//! Two rules make keys unambiguous. The length of the name of a queue or series stands before the
//! name, and everything after the name is of fixed width, except an id or a writer, which ends its
//! key: so two names, or a name and an id, cannot be confused. And numbers are written so that
//! their bytes sort as the numbers do, including negative ones.

mod kinds;
mod series;

pub(crate) use kinds::{aside, aside_of_ready, kind_of, kind_pause, ready_of, ready_of_aside};
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

/// The ready-index entry of a due job.
pub(crate) fn ready(meta: &JobMeta) -> Key {
    ready_at(&meta.queue, meta.priority, meta.run_at, meta.seq)
}

/// The same entry by its parts.
pub(crate) fn ready_at(queue: &QueueName, priority: i16, run_at: Timestamp, seq: Seq) -> Key {
    let priority: [u8; PRIORITY_BYTES] = (priority.cast_unsigned() ^ (1 << 15)).to_be_bytes();
    timed(with(of_queue(Family::Ready, queue), &priority), run_at, seq)
}

/// The entry of a job that waits for its time, or behind a closed gate for its time-out.
pub(crate) fn waiting(meta: &JobMeta) -> Key {
    let is_behind_gate = meta.gate.as_ref().is_some_and(|gate| gate.is_closed(meta.epoch));
    let family = if is_behind_gate { Family::Gated } else { Family::Scheduled };
    timed(of_queue(family, &meta.queue), meta.run_at, meta.seq)
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

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{ContentType, Kind, NewJob, Payload};

    fn name(text: &str) -> QueueName {
        QueueName::new(text).expect("valid")
    }

    fn waiting(priority: i16, run_at: i64, seq: u64) -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload).with_priority(priority);
        JobMeta::begin(name("q"), &new, Seq::new(seq), Timestamp::from_millis(run_at))
    }

    #[test]
    fn ready_keys_sort_by_priority_then_time_then_seq() {
        let in_order = [
            waiting(i16::MIN, 9, 9),
            waiting(-1, 5, 1),
            waiting(0, i64::MIN, 7),
            waiting(0, -1, 3),
            waiting(0, 1, 2),
            waiting(0, 1, 300),
            waiting(i16::MAX, 0, 0),
        ];
        let keys: Vec<Key> = in_order.iter().map(ready).collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
        for (meta, key) in in_order.iter().zip(&keys) {
            assert_eq!((time_of(key), seq_of(key)), (meta.run_at, meta.seq));
            assert!(all(Family::Ready, &meta.queue).contains(key));
        }
        assert!(next_priority(keys[2].clone()) > keys[5] && next_priority(keys[2].clone()) < keys[6]);
        assert!(
            next_priority(keys[6].clone()) >= all(Family::Ready, &name("q")).end,
            "no priority follows the last"
        );
    }

    #[test]
    fn names_and_ids_that_run_together_stay_apart() {
        let pairs = [("a", "bc"), ("ab", "c"), ("a", "b"), ("abc", "c")];
        let keys: std::collections::BTreeSet<Key> =
            pairs.iter().map(|(queue, of)| id(&name(queue), &JobId::new(of).expect("valid"))).collect();
        assert_eq!(keys.len(), pairs.len());
    }

    #[test]
    fn a_queue_holds_no_key_of_another() {
        let (short, long) = (name("a"), name("ab"));
        let key = life(Family::Job, &long, Seq::new(u64::MAX));
        assert!(all(Family::Job, &long).contains(&key) && !all(Family::Job, &short).contains(&key));
    }

    #[test]
    fn until_takes_its_own_moment_and_none_after_it() {
        let at = |millis| {
            timed(of_queue(Family::Purge, &name("q")), Timestamp::from_millis(millis), Seq::new(u64::MAX))
        };
        let range = until(Family::Purge, &name("q"), Timestamp::from_millis(5));
        assert_eq!([-1, 5, 6].map(|millis| range.contains(&at(millis))), [true, true, false]);
        assert!(until(Family::Purge, &name("q"), Timestamp::from_millis(i64::MAX)).contains(&at(i64::MAX)));
    }
}
