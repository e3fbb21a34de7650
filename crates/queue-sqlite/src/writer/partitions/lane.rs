//! One partition as its row has it.

use super::super::session::SqliteSession;
use crate::{
    limit::{read_in_force, scopes_of},
    row::{counter, integer},
};
use queue_core::{
    LimitInForce, Partition,
    lifecycle::{Opening, Turn, TurnPlace},
};
use queue_store::PartitionChange;
use rusqlite::{OptionalExtension, Row, params};

/// One partition with its limit, while a transaction changes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub(super) leases: u64,
    pub(super) waiting: u64,
    pub(super) limit: LimitInForce,
    /// Where it stands, while it has a job to give and a slot for it.
    pub(super) place: Option<TurnPlace>,
    has_row: bool,
    /// Where it stands by its row.
    stored: Option<TurnPlace>,
}

impl Lane {
    /// Counts what the transaction changed.
    pub(super) fn count(&mut self, change: PartitionChange) {
        self.leases = self.leases.saturating_add_signed(change.leases);
        self.waiting = self.waiting.saturating_add_signed(change.waiting);
    }

    /// What it has to give, with a next job of this priority.
    pub(super) fn opening(&self, next: Option<i16>) -> Option<Opening> {
        Opening::of(next, self.leases, &self.limit.limit)
    }
}

/// The number of a turn in its column.
pub(super) fn turn_column(turn: Turn) -> i64 {
    i64::try_from(turn.as_u64()).unwrap_or(i64::MAX)
}

/// Reads the number of a turn.
pub(super) fn read_turn(row: &Row<'_>, column: usize) -> rusqlite::Result<Turn> {
    Ok(Turn::from_u64(counter(column, row.get(column)?)?))
}

fn read_lane(row: &Row<'_>) -> rusqlite::Result<Lane> {
    let place = match row.get(2)? {
        Some(priority) => {
            let opening = Opening { priority, is_limited: row.get(3)? };
            Some(TurnPlace { opening, turn: read_turn(row, 4)? })
        }
        None => None,
    };
    let (leases, waiting) = (counter(0, row.get(0)?)?, counter(1, row.get(1)?)?);
    Ok(Lane { leases, waiting, place, stored: place, has_row: true, ..Lane::default() })
}

impl SqliteSession<'_> {
    /// A partition as its row has it, with its limit; one without a row has no job yet.
    pub(super) fn load_lane(&mut self, queue: i64, partition: &Partition) -> rusqlite::Result<Lane> {
        let key = params![queue, partition.as_str()];
        let lane = self.statements.load_partition.query_row(key, read_lane).optional()?;
        Ok(Lane { limit: self.limit_of(queue, Some(partition))?, ..lane.unwrap_or_default() })
    }

    /// The limit in force of a partition, or of the jobs without one.
    pub(super) fn limit_of(
        &mut self,
        queue: i64,
        partition: Option<&Partition>,
    ) -> rusqlite::Result<LimitInForce> {
        self.limit_by(queue, scopes_of(partition))
    }

    /// The limit that counts of two scopes.
    pub(super) fn limit_by(
        &mut self,
        queue: i64,
        (key, scope, other): (&str, u8, u8),
    ) -> rusqlite::Result<LimitInForce> {
        let statement = self.statements.limit_of.get()?;
        read_in_force(statement.query(params![queue, key, scope, other])?)
    }

    /// The priority of the next job of a partition, or of those without one.
    pub(super) fn next_priority(
        &mut self,
        queue: i64,
        partition: Option<&Partition>,
    ) -> rusqlite::Result<Option<i16>> {
        let read = |row: &Row<'_>| row.get(0);
        match partition {
            Some(partition) => {
                let key = params![queue, partition.as_str(), i64::MIN];
                self.statements.first_of_partition.query_row(key, read).optional()
            }
            None => self.statements.first_ready.query_row(params![queue, i64::MIN], read).optional(),
        }
    }

    /// Writes a partition, and forgets one without jobs and without a limit of its own. True if the
    /// queue has got a partition by it, or has lost one.
    pub(super) fn save_lane(
        &mut self,
        queue: i64,
        partition: &Partition,
        lane: &Lane,
    ) -> rusqlite::Result<bool> {
        let key = partition.as_str();
        let (leases, waiting) = (integer(lane.leases), integer(lane.waiting));
        if !lane.limit.keeps(lane.leases, lane.waiting) {
            let removed = lane.has_row && self.statements.delete_partition.execute(params![queue, key])? > 0;
            return Ok(removed);
        }
        if lane.has_row && lane.place == lane.stored {
            self.statements.count_partition.execute(params![queue, key, leases, waiting])?;
            return Ok(false);
        }
        let opening = lane.place.map(|place| place.opening);
        self.statements.save_partition.execute(params![
            queue,
            key,
            leases,
            waiting,
            opening.map(|opening| opening.priority),
            opening.map(|opening| opening.is_limited),
            lane.place.map(|place| turn_column(place.turn)),
        ])?;
        Ok(!lane.has_row)
    }
}
