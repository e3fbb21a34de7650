//! Limits as bytes, as `lua/part/lanes.lua` keeps them and `lua/set_limits.lua` takes them.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | what there is: nothing, a weight alone, or a number too |
//! | 2, 4 | weight; number |

use crate::reader::Reader;
use queue_core::{Error, Limit, LimitScope, Partition};

const NO_LIMIT: u8 = 0;
const WEIGHT_ALONE: u8 = 1;
const WITH_NUMBER: u8 = 2;
/// The scopes.
const EACH_PARTITION: u8 = 0;
const UNPARTITIONED: u8 = 1;
const ONE_PARTITION: u8 = 2;

/// These bytes are no limit that this library wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Writes the limit of a scope: which, the limit, the key of a partition.
pub(crate) fn write_limit(scope: &LimitScope, limit: Option<Limit>) -> Result<Vec<u8>, Error> {
    let (scope, key) = match scope {
        LimitScope::EachPartition => (EACH_PARTITION, ""),
        LimitScope::Unpartitioned => (UNPARTITIONED, ""),
        LimitScope::Partition(partition) => (ONE_PARTITION, partition.as_str()),
        _ => return Err(Error::invalid("set_limits", "this store does not know the scope of a limit")),
    };
    let running = limit.and_then(|limit| limit.running);
    let kind = match (limit, running) {
        (None, _) => NO_LIMIT,
        (Some(_), None) => WEIGHT_ALONE,
        (Some(_), Some(_)) => WITH_NUMBER,
    };
    let weight = limit.map_or(0, |limit| limit.weight);
    Ok([
        &[scope, kind][..],
        &weight.to_be_bytes(),
        &running.unwrap_or_default().to_be_bytes(),
        key.as_bytes(),
    ]
    .concat())
}

/// Reads a limit, or that there is none.
pub(crate) fn read_limit(bytes: &[u8]) -> Result<Option<Limit>, Unreadable> {
    let mut from = Reader::new(bytes);
    let limit = limit(&mut from)?;
    if from.is_empty() { Ok(limit) } else { Err(Unreadable) }
}

/// Reads the limit of a scope; `None` if this library did not write it.
pub(crate) fn read_scope(bytes: &[u8]) -> Option<(LimitScope, Limit)> {
    let mut from = Reader::new(bytes);
    let scope = from.u8()?;
    let limit = limit(&mut from).ok()??;
    let key = std::str::from_utf8(from.rest()).ok()?;
    let scope = match scope {
        EACH_PARTITION => LimitScope::EachPartition,
        UNPARTITIONED => LimitScope::Unpartitioned,
        ONE_PARTITION => LimitScope::Partition(Partition::new(key).ok()?),
        _ => return None,
    };
    Some((scope, limit))
}

/// Takes a limit off the front, or that there is none.
pub(crate) fn limit(from: &mut Reader<'_>) -> Result<Option<Limit>, Unreadable> {
    let mut read = || Some((from.u8()?, from.u16()?, from.u32()?));
    match read() {
        Some((NO_LIMIT, ..)) => Ok(None),
        Some((WEIGHT_ALONE, weight, _)) => Ok(Some(Limit { running: None, weight })),
        Some((WITH_NUMBER, weight, running)) => Ok(Some(Limit { running: Some(running), weight })),
        _ => Err(Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::constant;

    #[test]
    fn limits_come_back_with_their_scopes() {
        let own = LimitScope::Partition(Partition::from_static("a"));
        for scope in [LimitScope::EachPartition, LimitScope::Unpartitioned, own] {
            for running in [None, Some(0), Some(u32::MAX)] {
                let limit = Limit { running, weight: Limit::WEIGHT_MAX };
                let bytes = write_limit(&scope, Some(limit)).expect("a known scope");
                assert_eq!(read_scope(&bytes), Some((scope.clone(), limit)));
                assert_eq!(read_limit(&bytes[1..8]), Ok(Some(limit)));
                assert_eq!(read_limit(&bytes[1..7]), Err(Unreadable));
            }
            let bytes = write_limit(&scope, None).expect("a known scope");
            assert_eq!(read_limit(&bytes[1..8]), Ok(None));
        }
    }

    #[test]
    fn scripts_have_the_same_numbers_for_limits() {
        let script = include_str!("../lua/set_limits.lua");
        let numbers = [("NO_LIMIT", NO_LIMIT), ("WEIGHT_ALONE", WEIGHT_ALONE), ("WITH_NUMBER", WITH_NUMBER)];
        let scopes = [("EACH_PARTITION", EACH_PARTITION), ("ONE_PARTITION", ONE_PARTITION)];
        for (name, number) in numbers.into_iter().chain(scopes) {
            assert_eq!(constant(script, name), Some(number.to_string()), "{name}");
        }
    }
}
