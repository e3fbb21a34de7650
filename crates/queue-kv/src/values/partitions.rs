//! Values of partitions, of their turns and of limits.

use super::{number, read_number};
use crate::failure::{KvFailure, KvResult};
use queue_core::{
    Limit, Partition,
    lifecycle::{Opening, Turn, TurnPlace},
};

/// The record of a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) leases: u64,
    /// How many of its jobs wait, due or not.
    pub(crate) waiting: u64,
    /// Where it stands, while it has a job to give and a slot for it.
    pub(crate) place: Option<TurnPlace>,
}

/// The turn of a queue that was taken last, and where the jobs without a partition stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    pub(crate) present: Turn,
    pub(crate) line: Option<TurnPlace>,
}

pub(crate) fn lane(lane: &Lane) -> Vec<u8> {
    [&number(lane.leases)[..], &number(lane.waiting), &place(lane.place)].concat()
}

pub(crate) fn read_lane(bytes: &[u8]) -> KvResult<Lane> {
    let (leases, rest) = read_first(bytes)?;
    let (waiting, place) = read_first(rest)?;
    Ok(Lane { leases, waiting, place: read_place(place)? })
}

pub(crate) fn turns(turns: &Turns) -> Vec<u8> {
    [&number(turns.present.as_u64())[..], &place(turns.line)].concat()
}

pub(crate) fn read_turns(bytes: &[u8]) -> KvResult<Turns> {
    let (present, line) = read_first(bytes)?;
    Ok(Turns { present: Turn::from_u64(present), line: read_place(line)? })
}

pub(crate) fn limit(limit: &Limit) -> Vec<u8> {
    let mut bytes = limit.weight.to_be_bytes().to_vec();
    bytes.extend(limit.running.into_iter().flat_map(u32::to_be_bytes));
    bytes
}

pub(crate) fn read_limit(bytes: &[u8]) -> KvResult<Limit> {
    let corrupt = || KvFailure::corrupt("a limit has the wrong number of bytes");
    let (weight, running) = bytes.split_first_chunk().ok_or_else(corrupt)?;
    let running = match running {
        [] => None,
        running => Some(u32::from_be_bytes(running.try_into().map_err(|_| corrupt())?)),
    };
    Ok(Limit { running, weight: u16::from_be_bytes(*weight) })
}

/// A partition by its bytes, which end a key or a value.
pub(crate) fn partition(bytes: &[u8]) -> KvResult<Partition> {
    let partition = std::str::from_utf8(bytes).ok().and_then(|text| Partition::new(text).ok());
    partition.ok_or_else(|| KvFailure::corrupt("a partition has no key"))
}

/// The same where no bytes stand for no partition.
pub(crate) fn partition_if_any(bytes: &[u8]) -> KvResult<Option<Partition>> {
    if bytes.is_empty() { Ok(None) } else { partition(bytes).map(Some) }
}

fn place(place: Option<TurnPlace>) -> Vec<u8> {
    let Some(TurnPlace { opening, turn }) = place else { return Vec::new() };
    let mut bytes = vec![u8::from(opening.is_limited)];
    bytes.extend(opening.priority.to_be_bytes());
    bytes.extend(number(turn.as_u64()));
    bytes
}

fn read_place(bytes: &[u8]) -> KvResult<Option<TurnPlace>> {
    let (is_limited, high, low, turn) = match bytes {
        [] => return Ok(None),
        [limited @ 0..=1, high, low, turn @ ..] => (*limited == 1, *high, *low, turn),
        _ => return Err(KvFailure::corrupt("a partition stands at no place")),
    };
    let opening = Opening { priority: i16::from_be_bytes([high, low]), is_limited };
    Ok(Some(TurnPlace { opening, turn: Turn::from_u64(read_number(turn)?) }))
}

fn read_first(bytes: &[u8]) -> KvResult<(u64, &[u8])> {
    let (first, rest) =
        bytes.split_first_chunk().ok_or_else(|| KvFailure::corrupt("a partition has too few numbers"))?;
    Ok((u64::from_be_bytes(*first), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_turns_and_limits_come_back_and_nothing_shorter_is_read() {
        let turn = Turn::from_u64(u64::MAX - 1);
        let of = |priority, is_limited| Some(TurnPlace { opening: Opening { priority, is_limited }, turn });
        for line in [None, of(i16::MIN, true), of(7, false)] {
            let record = Lane { leases: 3, waiting: u64::MAX, place: line };
            let bytes = lane(&record);
            assert_eq!(read_lane(&bytes).expect("it was written here"), record);
            assert!(read_lane(&bytes[1..]).is_err());
            let queue = Turns { present: turn, line };
            let bytes = turns(&queue);
            assert_eq!(read_turns(&bytes).expect("it was written here"), queue);
            assert!(read_turns(&bytes[1..]).is_err());
        }
        for running in [None, Some(0), Some(u32::MAX)] {
            let written = Limit { running, weight: Limit::WEIGHT_MAX };
            let bytes = limit(&written);
            assert_eq!(read_limit(&bytes).expect("it was written here"), written);
            assert!(read_limit(&bytes[1..]).is_err());
        }
    }
}
