//! The verb that sets limits.

use super::super::{
    commit::{Commits, Session},
    transaction::Transaction,
};
use crate::{
    failure::KvResult,
    keys::{self, Family, Key},
    values,
};
use queue_core::{Error, Limit, LimitScope, QueueName};
use queue_store::group_commit::Verb;
use std::collections::BTreeSet;

/// Sets limits of a queue and takes some away.
#[derive(Debug)]
pub(crate) struct KvSetLimits {
    queue: QueueName,
    limits: Vec<(LimitScope, Option<Limit>)>,
}

impl KvSetLimits {
    /// Refuses limits that cannot be.
    pub(crate) fn checked(queue: QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<Self, Error> {
        for (scope, limit) in &limits {
            limit.map_or(Ok(()), |limit| limit.check(scope))?;
            if keys::limit(&queue, scope).is_none() {
                return Err(Error::invalid("set_limits", "this store does not know the scope of a limit"));
            }
        }
        Ok(Self { queue, limits })
    }

    fn keys(&self) -> impl Iterator<Item = (Key, &LimitScope, Option<Limit>)> {
        self.limits
            .iter()
            .filter_map(|(scope, limit)| Some((keys::limit(&self.queue, scope)?, scope, *limit)))
    }
}

impl Verb<Commits> for KvSetLimits {
    /// An error for limits that are too many.
    type Answer = Result<(), Error>;

    const NAME: &'static str = "set_limits";

    fn weight(&self) -> usize {
        self.limits.len()
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<Self::Answer> {
        session.transaction().set_limits(self)
    }
}

impl Transaction<'_> {
    fn set_limits(&mut self, new: &KvSetLimits) -> KvResult<Result<(), Error>> {
        let queue = &new.queue;
        let present: BTreeSet<Key> =
            self.view().limits(queue)?.iter().filter_map(|(scope, _)| keys::limit(queue, scope)).collect();
        let added = new.keys().filter(|(key, _, limit)| limit.is_some() && !present.contains(key));
        if let Err(refused) = Limit::check_room(present.len() + added.count()) {
            return Ok(Err(refused));
        }
        self.remember_queue(queue)?;
        // What the transaction has done before belongs to the limits before.
        self.settle_partitions()?;
        for (key, scope, limit) in new.keys() {
            match limit {
                Some(limit) => self.put(&key, &values::limit(&limit))?,
                None => self.delete(&key)?,
            }
            if let LimitScope::Partition(partition) = scope {
                self.partitions.moves(queue, partition);
            }
        }
        if new.limits.iter().any(|(scope, _)| *scope == LimitScope::EachPartition) {
            self.move_each_partition(queue)?;
        }
        self.settle_partitions()?;
        self.mark_partitions(queue)?;
        // Workers with room for more ask again.
        self.notices.wake(queue);
        Ok(Ok(()))
    }

    /// The limit of each partition changed: all are looked at.
    fn move_each_partition(&mut self, queue: &QueueName) -> KvResult<()> {
        let mut all = Vec::new();
        self.view().each(keys::all(Family::Partitions, queue), |(key, _)| {
            all.push(values::partition(keys::partition_of(queue, &key))?);
            Ok(())
        })?;
        for partition in &all {
            self.partitions.moves(queue, partition);
        }
        Ok(())
    }
}
