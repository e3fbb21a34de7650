//! Limits of a queue that were set or taken away.

use super::wire::{FieldReader, FieldWriter, Malformed};
use queue_core::{Limit, LimitScope};
use queue_memory::LimitChanges;

const EACH_PARTITION: u8 = 0;
const UNPARTITIONED: u8 = 1;
const PARTITION: u8 = 2;

const IS_SET: u8 = 1;
const HAS_RUNNING: u8 = 1 << 1;

/// Their number, and each with its scope. A limit that was taken away has no more.
pub(super) fn write_limits(out: &mut FieldWriter<'_>, changes: &LimitChanges) {
    out.u32(u32::try_from(changes.len()).expect("one call has fewer limits"));
    for (scope, limit) in changes {
        match scope {
            LimitScope::EachPartition => out.u8(EACH_PARTITION),
            LimitScope::Partition(partition) => {
                out.u8(PARTITION);
                out.name(partition);
            }
            // The one that is left; the engine refuses a scope that is none of these.
            _ => out.u8(UNPARTITIONED),
        }
        let running = limit.and_then(|limit| limit.running);
        out.u8(u8::from(limit.is_some()) * IS_SET + u8::from(running.is_some()) * HAS_RUNNING);
        if let Some(running) = running {
            out.u32(running);
        }
        if let Some(limit) = limit {
            out.u16(limit.weight);
        }
    }
}

pub(super) fn read_limits(from: &mut FieldReader<'_>) -> Result<LimitChanges, Malformed> {
    (0..from.u32()?).map(|_| read_limit(from)).collect()
}

fn read_limit(from: &mut FieldReader<'_>) -> Result<(LimitScope, Option<Limit>), Malformed> {
    let scope = match from.u8()? {
        EACH_PARTITION => LimitScope::EachPartition,
        UNPARTITIONED => LimitScope::Unpartitioned,
        PARTITION => LimitScope::Partition(from.name()?),
        _ => return Err(Malformed("a limit has a scope that this version does not know")),
    };
    let marks = from.u8()?;
    if marks & !(IS_SET | HAS_RUNNING) != 0 {
        return Err(Malformed("a limit has a mark that this version does not know"));
    }
    let running = if marks & HAS_RUNNING != 0 { Some(from.u32()?) } else { None };
    if marks & IS_SET == 0 {
        return Ok((scope, None));
    }
    let limit = Limit { running, weight: from.u16()? };
    match limit.check(&scope) {
        Ok(()) => Ok((scope, Some(limit))),
        Err(_) => Err(Malformed("a limit is out of bounds")),
    }
}
