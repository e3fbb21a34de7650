//! The verb that sets limits.

use super::{
    super::{commit::Database, session::SqliteSession},
    lane::turn_column,
};
use crate::{
    limit::{OF_EACH, scope_columns},
    sql,
};
use queue_core::{Error, Limit, LimitScope, QueueName, lifecycle::Turn};
use queue_store::group_commit::Verb;
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeSet;

/// Sets limits of a queue and takes some away, for every process.
#[derive(Debug)]
pub(crate) struct SqliteSetLimits {
    pub(crate) queue: QueueName,
    pub(crate) limits: Vec<(LimitScope, Option<Limit>)>,
}

impl SqliteSetLimits {
    /// Refuses limits that cannot be.
    pub(crate) fn checked(queue: QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<Self, Error> {
        for (scope, limit) in &limits {
            limit.map_or(Ok(()), |limit| limit.check(scope))?;
            if scope_columns(scope).is_none() {
                return Err(Error::invalid("set_limits", "this store does not know the scope of a limit"));
            }
        }
        Ok(Self { queue, limits })
    }

    fn columns(&self) -> impl Iterator<Item = (&LimitScope, (u8, &str), Option<Limit>)> {
        self.limits.iter().filter_map(|(scope, limit)| Some((scope, scope_columns(scope)?, *limit)))
    }
}

impl Verb<Database> for SqliteSetLimits {
    /// An error for limits that are too many.
    type Answer = Result<(), Error>;

    const NAME: &'static str = "set_limits";

    fn weight(&self) -> usize {
        self.limits.len()
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Self::Answer> {
        let queue = session.intern_queue(&self.queue)?;
        if let Err(refused) = session.check_limits(queue, self)? {
            return Ok(Err(refused));
        }
        // What the transaction has done before belongs to the limits before.
        session.settle_partitions()?;
        for (scope, (code, key), limit) in self.columns() {
            match limit {
                Some(Limit { running, weight }) => {
                    let row = params![queue, code, key, running, weight];
                    session.rarely(sql::SAVE_LIMIT)?.execute(row)?
                }
                None => session.rarely(sql::DELETE_LIMIT)?.execute(params![queue, code, key])?,
            };
            if let LimitScope::Partition(partition) = scope {
                session.partitions.moves(&queue, partition);
            }
        }
        session.settle_partitions()?;
        if self.limits.iter().any(|(scope, _)| *scope == LimitScope::EachPartition) {
            session.refresh_partitions(queue)?;
        }
        session.mark_partitions(queue)?;
        // Workers with room for more ask again.
        session.notices.wake(&self.queue);
        session.counters.wake(queue);
        Ok(Ok(()))
    }
}

impl SqliteSession<'_> {
    /// Whether a queue has room for new limits.
    fn check_limits(&mut self, queue: i64, new: &SqliteSetLimits) -> rusqlite::Result<Result<(), Error>> {
        let mut load = self.rarely(sql::LOAD_LIMITS)?;
        let present = load.query_map([queue], |row| Ok((row.get::<_, u8>(0)?, row.get::<_, String>(1)?)))?;
        let present = present.collect::<rusqlite::Result<BTreeSet<_>>>()?;
        let is_new = |(_, (code, key), limit): &(&LimitScope, (u8, &str), Option<Limit>)| {
            limit.is_some() && !present.contains(&(*code, (*key).to_owned()))
        };
        Ok(Limit::check_room(present.len() + new.columns().filter(is_new).count()))
    }

    /// Finds out where each partition stands that has no limit of its own, after that of each has
    /// changed: in one statement, and one more for each priority at which some open.
    fn refresh_partitions(&mut self, queue: i64) -> rusqlite::Result<()> {
        let limit = self.limit_by(queue, OF_EACH)?.limit;
        let (most, is_limited) = (limit.running.map_or(i64::MAX, i64::from), limit.running.is_some());
        self.rarely(sql::REFRESH_PARTITIONS)?.execute(params![queue, most, is_limited])?;
        let mut priority = i64::MIN;
        let next = |session: &Self, behind: i64| {
            let mut next = session.rarely(sql::OPENED_PRIORITY)?;
            next.query_row(params![queue, is_limited, behind], |row| row.get::<_, i16>(0)).optional()
        };
        while let Some(found) = next(self, priority)? {
            let fronts = self.load_fronts(queue)?;
            let lowest = self.lowest_turn(queue, &fronts, found)?;
            let turn = Turn::behind(fronts.present, lowest, &limit);
            let opened = params![queue, is_limited, found, turn_column(turn)];
            self.rarely(sql::PLACE_OPENED)?.execute(opened)?;
            priority = found.into();
        }
        Ok(())
    }
}
