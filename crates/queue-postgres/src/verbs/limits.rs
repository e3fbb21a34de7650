//! `set_limits`, `limits` and `partitions`.

use crate::{
    call::{BoundQuery, CallConnection, CommitScope, SqlVerb},
    row::{counter, foreign, integer, limit, name},
    verb_error::VerbError,
    verbs::get::NO_QUEUE,
};
use queue_core::{
    Error, Limit, LimitScope, Partition, PartitionPage, PartitionQuery, PartitionStatus, QueueName, Timestamp,
};
use sqlx::{Row, postgres::PgRow};
use std::collections::BTreeMap;

/// The scopes of limits, as their column has them.
const EACH_PARTITION: i16 = 0;
const UNPARTITIONED: i16 = 1;
const PARTITION: i16 = 2;

/// Sets limits of a queue and takes some away, for every process.
#[derive(Debug)]
pub(crate) struct PostgresSetLimits<'a> {
    queue: &'a QueueName,
    /// By the columns of the scope: of one that is said twice, the last counts.
    limits: BTreeMap<(i16, String), Option<Limit>>,
}

/// The limits of a queue.
#[derive(Debug)]
pub(crate) struct PostgresReadLimits<'a>(pub(crate) &'a QueueName);

/// One page of the partitions of a queue.
#[derive(Debug)]
pub(crate) struct PostgresListPartitions<'a>(pub(crate) &'a PartitionQuery);

impl<'a> PostgresSetLimits<'a> {
    /// Refuses limits that cannot be.
    pub(crate) fn checked(
        queue: &'a QueueName,
        limits: Vec<(LimitScope, Option<Limit>)>,
    ) -> queue_core::Result<Self> {
        let mut columns = BTreeMap::new();
        for (scope, limit) in limits {
            limit.map_or(Ok(()), |limit| limit.check(&scope))?;
            columns.insert(scope_columns(scope)?, limit);
        }
        Ok(Self { queue, limits: columns })
    }

    /// The columns of those that are set, or taken away.
    fn columns(&self, is_set: bool) -> (Vec<i16>, Vec<String>, Vec<Limit>) {
        let chosen = self.limits.iter().filter(|(_, limit)| limit.is_some() == is_set);
        let (mut scopes, mut partitions, mut limits) = (Vec::new(), Vec::new(), Vec::new());
        for ((scope, partition), limit) in chosen {
            scopes.push(*scope);
            partitions.push(partition.clone());
            limits.extend(*limit);
        }
        (scopes, partitions, limits)
    }

    /// How many limits the queue will have.
    async fn count(&self, connection: &mut CallConnection<'_>, queue: i32) -> Result<usize, VerbError> {
        let load = &connection.handle.statements.limits;
        let rows = connection.read(load, |query| query.bind(queue)).await?;
        let mut present = self.limits.clone();
        for row in &rows {
            present.entry((row.try_get(0)?, row.try_get(1)?)).or_insert(Some(Limit::default()));
        }
        Ok(present.values().filter(|limit| limit.is_some()).count())
    }

    /// Has claims look at the partitions whose limit is another.
    async fn leave_slips(&self, connection: &mut CallConnection<'_>, queue: i32) -> Result<(), VerbError> {
        let is_of_each = self.limits.contains_key(&(EACH_PARTITION, String::new()));
        let own = self.limits.keys().filter(|(scope, _)| *scope == PARTITION);
        let own: Vec<String> = own.map(|(_, partition)| partition.clone()).collect();
        let keys = (!is_of_each).then_some(own);
        let add = &connection.handle.statements.add_partition_slips;
        connection.write(add, |query| query.bind(queue).bind(keys.clone())).await.map(drop)
    }
}

impl SqlVerb for PostgresSetLimits<'_> {
    /// An error for limits that are too many.
    type Answer = queue_core::Result<()>;

    const NAME: &'static str = "set_limits";

    fn scope(&self) -> CommitScope {
        CommitScope::Transaction
    }

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let queue = connection.intern_queue(self.queue).await?;
        connection.mark_partitions(queue).await
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = connection.intern_queue(self.queue).await?;
        let handle = connection.handle;
        connection.write(&handle.statements.lock_turns, |query| query.bind(queue)).await?;
        if let Err(refused) = Limit::check_room(self.count(connection, queue).await?) {
            return Ok(Err(refused));
        }
        let (scopes, partitions, _) = self.columns(false);
        let bind = |query: BoundQuery| query.bind(queue).bind(scopes.clone()).bind(partitions.clone());
        connection.write(&handle.statements.delete_limits, bind).await?;
        let (scopes, partitions, limits) = self.columns(true);
        let bind = |query: BoundQuery| {
            let query = query.bind(queue).bind(scopes.clone()).bind(partitions.clone());
            query
                .bind(limits.iter().map(|limit| limit.running.map(i64::from)).collect::<Vec<_>>())
                .bind(limits.iter().map(|limit| weight(limit.weight)).collect::<Vec<_>>())
        };
        connection.write(&handle.statements.save_limits, bind).await?;
        self.leave_slips(connection, queue).await?;
        connection.notify_wake(queue).await?;
        connection.notices.wake(self.queue);
        Ok(Ok(()))
    }
}

impl SqlVerb for PostgresReadLimits<'_> {
    type Answer = Vec<(LimitScope, Limit)>;

    const NAME: &'static str = "limits";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let Some(queue) = connection.find_queue(self.0).await? else { return Ok(Vec::new()) };
        let load = &connection.handle.statements.limits;
        let rows = connection.read(load, |query| query.bind(queue)).await?;
        let read = |row: &PgRow| Ok((read_scope(row)?, read_limit(row, 2)?));
        Ok(rows.iter().map(read).collect::<sqlx::Result<_>>()?)
    }
}

impl SqlVerb for PostgresListPartitions<'_> {
    type Answer = PartitionPage;

    const NAME: &'static str = "partitions";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let query = self.0;
        let queue = connection.find_queue(&query.queue).await?.unwrap_or(NO_QUEUE);
        let floor = connection.time_floor();
        let after = query.after.as_ref().map_or("", Partition::as_str).to_owned();
        let rows = connection
            .read(&connection.handle.statements.partitions, |sent| {
                let sent = sent.bind(floor).bind(queue).bind(after).bind(limit(query.page_limit()));
                sent.bind(integer(PartitionStatus::WAITING_MAX))
            })
            .await?;
        let moment = connection.note_time(&rows, 0)?;
        let mut partitions = Vec::new();
        for row in &rows {
            if row.try_get::<Option<&str>, _>(1)?.is_some() {
                partitions.push(PartitionStatus {
                    partition: name::<Partition>(row, 1)?,
                    leases: counter(row, 2)?,
                    waiting: counter(row, 3)?,
                    oldest_due: row.try_get::<Option<i64>, _>(4)?.map(Timestamp::from_millis),
                    limit: read_limit(row, 5)?,
                    has_own_limit: row.try_get(7)?,
                });
            }
        }
        partitions.sort_unstable_by(|a, b| a.partition.cmp(&b.partition));
        Ok(query.page(partitions, moment))
    }
}

fn scope_columns(scope: LimitScope) -> queue_core::Result<(i16, String)> {
    match scope {
        LimitScope::EachPartition => Ok((EACH_PARTITION, String::new())),
        LimitScope::Unpartitioned => Ok((UNPARTITIONED, String::new())),
        LimitScope::Partition(partition) => Ok((PARTITION, partition.to_string())),
        _ => Err(Error::invalid("set_limits", "this store does not know the scope of a limit")),
    }
}

fn read_scope(row: &PgRow) -> sqlx::Result<LimitScope> {
    match row.try_get::<i16, _>(0)? {
        EACH_PARTITION => Ok(LimitScope::EachPartition),
        UNPARTITIONED => Ok(LimitScope::Unpartitioned),
        PARTITION => Ok(LimitScope::Partition(name::<Partition>(row, 1)?)),
        scope => Err(foreign(format!("{scope} is no scope of a limit"))),
    }
}

/// Reads how many may run, and the weight, which begin at `at`.
fn read_limit(row: &PgRow, at: usize) -> sqlx::Result<Limit> {
    let running = row.try_get::<Option<i64>, _>(at)?.map(u32::try_from).transpose();
    let running = running.map_err(|_| foreign("a limit that is none"))?;
    let weight =
        u16::try_from(row.try_get::<i16, _>(at + 1)?).map_err(|_| foreign("a weight that is none"))?;
    Ok(Limit { running, weight })
}

/// A weight was checked, so it fits.
fn weight(weight: u16) -> i16 {
    i16::try_from(weight).unwrap_or(i16::MAX)
}
