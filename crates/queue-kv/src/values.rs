//! Values that are not a stored form of a job: numbers, and the values of index entries.

mod partitions;

pub(crate) use partitions::{
    Lane, Turns, lane, limit, partition, partition_if_any, read_lane, read_limit, read_turns, turns,
};

use crate::failure::{KvFailure, KvResult};
use bytes::Bytes;
use queue_core::{Partition, Pause, Timestamp, WorkerInfo};
use queue_store::stored;

/// A `seq`, a count or a number of bytes.
pub(crate) fn number(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

pub(crate) fn read_number(bytes: &[u8]) -> KvResult<u64> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| KvFailure::corrupt("a number has not eight bytes"))
}

pub(crate) fn time(at: Timestamp) -> [u8; 8] {
    number(at.as_millis().cast_unsigned())
}

pub(crate) fn read_time(bytes: &[u8]) -> KvResult<Timestamp> {
    Ok(Timestamp::from_millis(read_number(bytes)?.cast_signed()))
}

/// What a claim of a queue has to look at besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueMarks {
    /// Kinds that are paused, or of which jobs are set aside.
    pub(crate) kinds: bool,
    /// Jobs behind closed gates.
    pub(crate) gated: bool,
    /// Partitions, or limits.
    pub(crate) partitions: bool,
}

const HAS_KINDS: u8 = 1;
const HAS_GATED: u8 = 2;
const HAS_PARTITIONS: u8 = 4;

pub(crate) fn pauses(pause: Pause, marks: QueueMarks) -> Vec<u8> {
    let mut bytes = time(Timestamp::from_millis(pause.as_millis())).to_vec();
    bytes.push(
        u8::from(marks.kinds) * HAS_KINDS
            + u8::from(marks.gated) * HAS_GATED
            + u8::from(marks.partitions) * HAS_PARTITIONS,
    );
    bytes
}

pub(crate) fn read_pauses(bytes: &[u8]) -> KvResult<(Pause, QueueMarks)> {
    let (marks, until) = bytes.split_last().ok_or_else(|| KvFailure::corrupt("a pause has no bytes"))?;
    if marks & !(HAS_KINDS | HAS_GATED | HAS_PARTITIONS) != 0 {
        return Err(KvFailure::corrupt("a queue has a mark that is none"));
    }
    let has = |mark| marks & mark != 0;
    let marks = QueueMarks { kinds: has(HAS_KINDS), gated: has(HAS_GATED), partitions: has(HAS_PARTITIONS) };
    Ok((Pause::from_millis(read_time(until)?.as_millis()), marks))
}

/// The value that lets a claim make a waiting job ready without reading its record.
pub(crate) fn scheduled(payload_bytes: u64, priority: i16, partition: Option<&Partition>) -> Vec<u8> {
    let partition = partition.map_or("", Partition::as_str).as_bytes();
    [&number(payload_bytes)[..], &priority.to_be_bytes(), partition].concat()
}

/// The bytes of the payload, in the form of the ready index, the priority and the partition.
pub(crate) fn read_scheduled(bytes: &[u8]) -> KvResult<(&[u8], i16, Option<Partition>)> {
    let corrupt = || KvFailure::corrupt("a scheduled job has no priority");
    let (payload_bytes, rest) = bytes.split_at_checked(size_of::<u64>()).ok_or_else(corrupt)?;
    let (priority, partition) = rest.split_first_chunk().ok_or_else(corrupt)?;
    Ok((payload_bytes, i16::from_be_bytes(*priority), partition_if_any(partition)?))
}

/// The value of a job that is set aside: the value that it has in the ready index, and the
/// partition.
pub(crate) fn aside(payload_bytes: &[u8], partition: Option<&Partition>) -> Vec<u8> {
    [payload_bytes, partition.map_or("", Partition::as_str).as_bytes()].concat()
}

pub(crate) fn read_aside(bytes: &[u8]) -> KvResult<(&[u8], Option<Partition>)> {
    let (payload_bytes, partition) = bytes
        .split_at_checked(size_of::<u64>())
        .ok_or_else(|| KvFailure::corrupt("a job that is set aside has no length"))?;
    Ok((payload_bytes, partition_if_any(partition)?))
}

/// Bytes, and the time until which they are kept.
pub(crate) fn kept(bytes: &[u8], until: Timestamp) -> Vec<u8> {
    [&time(until)[..], bytes].concat()
}

pub(crate) fn read_kept(bytes: &[u8]) -> KvResult<(Timestamp, &[u8])> {
    let (until, kept) = bytes
        .split_first_chunk::<{ size_of::<u64>() }>()
        .ok_or_else(|| KvFailure::corrupt("an entry of a series is kept for no time"))?;
    Ok((read_time(until)?, kept))
}

/// A worker, and the time until which it is shown.
pub(crate) fn worker(worker: &WorkerInfo, until: Timestamp) -> Vec<u8> {
    [&time(until)[..], &stored::to_bytes(worker)].concat()
}

pub(crate) fn read_worker(bytes: Vec<u8>) -> KvResult<(WorkerInfo, Timestamp)> {
    let mut bytes = Bytes::from(bytes);
    if bytes.len() < size_of::<u64>() {
        return Err(KvFailure::corrupt("a worker is shown for no time"));
    }
    let until = read_time(&bytes.split_to(size_of::<u64>()))?;
    Ok((stored::from_bytes(bytes)?, until))
}

#[cfg(test)]
mod tests {
    use super::{QueueMarks, pauses, read_pauses};
    use queue_core::{Pause, Timestamp};

    #[test]
    fn pauses_and_marks_come_back_and_no_other_mark_is_read() {
        for pause in [Pause::Off, Pause::UntilResumed, Pause::Until(Timestamp::from_millis(7))] {
            for bits in 0..8 {
                let has = |bit| bits & bit != 0;
                let marks = QueueMarks { kinds: has(1), gated: has(2), partitions: has(4) };
                let mut bytes = pauses(pause, marks);
                assert_eq!(read_pauses(&bytes).expect("it was written here"), (pause, marks));
                assert!(read_pauses(&bytes[1..]).is_err() && read_pauses(&[]).is_err());
                *bytes.last_mut().expect("it is long") |= 8;
                assert!(read_pauses(&bytes).is_err());
            }
        }
    }
}
