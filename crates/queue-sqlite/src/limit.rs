//! Limits as rows, and back. What the columns mean is said in `sql/0002_initial.sql`.

use crate::row::{foreign, name};
use queue_core::{Limit, LimitInForce, LimitScope, Partition};
use rusqlite::{Row, Rows};

const EACH_PARTITION: u8 = 0;
const UNPARTITIONED: u8 = 1;
const PARTITION: u8 = 2;
/// No limit has this scope.
const NONE: u8 = 9;

/// The columns of a scope; `None` for one that this library does not know.
pub(crate) fn scope_columns(scope: &LimitScope) -> Option<(u8, &str)> {
    match scope {
        LimitScope::EachPartition => Some((EACH_PARTITION, "")),
        LimitScope::Unpartitioned => Some((UNPARTITIONED, "")),
        LimitScope::Partition(partition) => Some((PARTITION, partition.as_str())),
        _ => None,
    }
}

/// What `limit_of` takes for the limit of each partition.
pub(crate) const OF_EACH: (&str, u8, u8) = ("", EACH_PARTITION, NONE);

/// What `limit_of` takes for a partition, or for the jobs without one: the key, the scope, and the
/// scope that counts if that has no limit.
pub(crate) fn scopes_of(partition: Option<&Partition>) -> (&str, u8, u8) {
    match partition {
        Some(partition) => (partition.as_str(), PARTITION, EACH_PARTITION),
        None => ("", UNPARTITIONED, NONE),
    }
}

/// The limit in force by the rows of `limit_of`.
pub(crate) fn read_in_force(mut rows: Rows<'_>) -> rusqlite::Result<LimitInForce> {
    let (mut own, mut shared) = (None, None);
    while let Some(row) = rows.next()? {
        let limit = Some(Limit { running: row.get(1)?, weight: row.get(2)? });
        if row.get::<_, u8>(0)? == EACH_PARTITION { shared = limit } else { own = limit }
    }
    Ok(LimitInForce::of(own, shared))
}

/// Reads the columns of `load_limits`.
pub(crate) fn read_scope(row: &Row<'_>) -> rusqlite::Result<(LimitScope, Limit)> {
    let scope = match row.get(0)? {
        EACH_PARTITION => LimitScope::EachPartition,
        UNPARTITIONED => LimitScope::Unpartitioned,
        PARTITION => LimitScope::Partition(name::<Partition>(row, 1)?),
        scope => return Err(foreign(0, format!("{scope} is no scope of a limit"))),
    };
    Ok((scope, Limit { running: row.get(2)?, weight: row.get(3)? }))
}
