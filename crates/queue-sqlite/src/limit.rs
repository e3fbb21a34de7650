//! Limits as rows, and back. What the columns mean is said in `sql/0002_initial.sql`.

use crate::row::{foreign, name};
use queue_core::{Limit, LimitScope, Partition};
use rusqlite::Row;

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

/// The limit in force of a partition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitInForce {
    pub(crate) limit: Limit,
    /// Whether the partition has it alone.
    pub(crate) is_own: bool,
}

impl LimitInForce {
    /// Of the rows of `limit_of`, the one of the more special scope.
    pub(crate) fn of(rows: impl Iterator<Item = rusqlite::Result<(u8, Limit)>>) -> rusqlite::Result<Self> {
        let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let special = found.into_iter().max_by_key(|(scope, _)| *scope);
        Ok(special.map_or_else(Self::default, |(scope, limit)| Self { limit, is_own: scope == PARTITION }))
    }
}

/// Reads the columns of `limit_of`.
pub(crate) fn read_limit(row: &Row<'_>) -> rusqlite::Result<(u8, Limit)> {
    Ok((row.get(0)?, Limit { running: row.get(1)?, weight: row.get(2)? }))
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
