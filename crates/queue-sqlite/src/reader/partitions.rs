//! Reading partitions and limits.

use super::{
    Snapshot,
    first_of_each::{oldest, read_place},
};
use crate::{
    limit::{read_in_force, read_scope, scopes_of},
    row::{counter, integer, name, partition_of, time},
    sql,
};
use queue_core::{
    Limit, LimitInForce, LimitScope, Partition, PartitionPage, PartitionQuery, PartitionStatus, QueueName,
    Timestamp,
};
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeMap;

impl Snapshot<'_> {
    /// The limits of a queue.
    pub(crate) fn limits(&self, queue: &QueueName) -> rusqlite::Result<Vec<(LimitScope, Limit)>> {
        let Some(queue) = self.find_queue(queue)? else { return Ok(Vec::new()) };
        self.connection.prepare_cached(sql::LOAD_LIMITS)?.query_map([queue], read_scope)?.collect()
    }

    /// One page of the partitions of a queue.
    pub(crate) fn partitions(&self, query: &PartitionQuery) -> rusqlite::Result<PartitionPage> {
        let Some(queue) = self.find_queue(&query.queue)? else {
            return Ok(query.page(Vec::new(), self.moment));
        };
        let came_due = self.came_due_by_partition(queue)?;
        let mut page = self.connection.prepare_cached(sql::PAGE_OF_PARTITIONS)?;
        let after = query.after.as_ref().map_or("", Partition::as_str);
        let mut rows = page.query(params![queue, after, integer(query.page_limit() as u64)])?;
        let mut partitions = Vec::new();
        while let Some(row) = rows.next()? {
            let partition = name::<Partition>(row, 0)?;
            let waiting = counter(2, row.get(2)?)?.min(PartitionStatus::WAITING_MAX);
            let LimitInForce { limit, is_own: has_own_limit } = self.limit_of(queue, &partition)?;
            let ready = self.oldest_of_partition(queue, &partition)?;
            let oldest_due = ready.into_iter().chain(came_due.get(&partition).copied()).min();
            let leases = counter(1, row.get(1)?)?;
            partitions.push(PartitionStatus { partition, leases, waiting, oldest_due, limit, has_own_limit });
        }
        Ok(query.page(partitions, self.moment))
    }

    /// Whether due jobs of partitions stand in a queue.
    pub(super) fn has_due_of_partitions(&self, queue: i64) -> rusqlite::Result<bool> {
        let mut first = self.connection.prepare_cached(sql::FIRST_PARTITION_DUE)?;
        first.exists(params![queue, i64::MIN])
    }

    /// The `run_at` of the oldest due job of any partition: the first of each priority in turn.
    pub(super) fn oldest_of_partitions(&self, queue: i64) -> rusqlite::Result<Option<i64>> {
        let mut first = self.connection.prepare_cached(sql::FIRST_PARTITION_DUE)?;
        oldest(|behind| first.query_row(params![queue, behind], read_place).optional())
    }

    fn oldest_of_partition(&self, queue: i64, partition: &Partition) -> rusqlite::Result<Option<Timestamp>> {
        let mut first = self.connection.prepare_cached(sql::FIRST_OF_PARTITION)?;
        let of_partition = oldest(|behind| {
            first.query_row(params![queue, partition.as_str(), behind], read_place).optional()
        });
        Ok(of_partition?.map(Timestamp::from_millis))
    }

    fn limit_of(&self, queue: i64, partition: &Partition) -> rusqlite::Result<LimitInForce> {
        let (key, scope, other) = scopes_of(Some(partition));
        let mut load = self.connection.prepare_cached(sql::LIMIT_OF)?;
        read_in_force(load.query(params![queue, key, scope, other])?)
    }

    /// Of each partition the oldest of the jobs whose time, or the time-out of whose gate, has come
    /// since the last claim, which has not moved them yet.
    fn came_due_by_partition(&self, queue: i64) -> rusqlite::Result<BTreeMap<Partition, Timestamp>> {
        let mut found = BTreeMap::new();
        if !self.has_come_due(queue)? {
            return Ok(found);
        }
        for due in [sql::DUE_SCHEDULED, sql::DUE_GATED] {
            let mut due = self.connection.prepare_cached(due)?;
            let mut rows = due.query(params![queue, self.moment.now.as_millis(), i64::MAX])?;
            while let Some(row) = rows.next()? {
                let Some(partition) = partition_of(row, 3, 4)? else { continue };
                let run_at = time(row.get(1)?);
                let first = found.entry(partition).or_insert(run_at);
                *first = run_at.min(*first);
            }
        }
        Ok(found)
    }
}
