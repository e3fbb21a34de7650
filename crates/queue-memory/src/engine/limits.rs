//! The limits of a queue and of its partitions.

use super::{Engine, undo_log::UndoLog};
use queue_core::{Limit, LimitInForce, LimitScope, Partition, QueueName, Result};
use std::{collections::BTreeMap, convert::Infallible};

/// Limits that are set, and scopes whose limit is taken away.
pub type LimitChanges = Vec<(LimitScope, Option<Limit>)>;

/// The limits of a queue by their scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QueueLimits(BTreeMap<LimitScope, Limit>);

impl QueueLimits {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The limit in force of a partition, or of the jobs without one.
    pub(super) fn of(&self, partition: Option<&Partition>) -> LimitInForce {
        if self.0.is_empty() {
            return LimitInForce::default();
        }
        let Ok(in_force) = LimitInForce::find(partition, |scope| Ok::<_, Infallible>(self.get(scope)));
        in_force
    }

    /// The partitions with a limit of their own.
    pub(super) fn own(&self) -> impl Iterator<Item = &Partition> {
        self.0.keys().filter_map(|scope| match scope {
            LimitScope::Partition(partition) => Some(partition),
            _ => None,
        })
    }

    fn get(&self, scope: &LimitScope) -> Option<Limit> {
        self.0.get(scope).copied()
    }

    fn change(&mut self, scope: LimitScope, limit: Option<Limit>) {
        match limit {
            Some(limit) => self.0.insert(scope, limit),
            None => self.0.remove(&scope),
        };
    }
}

impl Engine {
    /// Sets limits and takes limits away. Workers need a hint of one that was raised.
    ///
    /// # Errors
    /// `Invalid` as [`Limit::check`] and [`Limit::check_room`] say; then nothing has changed.
    pub fn set_limits(&mut self, queue: &QueueName, changes: LimitChanges) -> Result<()> {
        changes.iter().try_for_each(|(scope, limit)| limit.map_or(Ok(()), |limit| limit.check(scope)))?;
        let present = self.queue_limits(queue);
        let is_new = |(scope, limit): &&(LimitScope, Option<Limit>)| {
            limit.is_some() && present.is_none_or(|present| present.get(scope).is_none())
        };
        Limit::check_room(present.map_or(0, |it| it.0.len()) + changes.iter().filter(is_new).count())?;
        for (scope, _) in &changes {
            let former = self.queue_limits(queue).and_then(|limits| limits.get(scope));
            self.undo.limits(queue, scope, former);
        }
        self.notices.wake(queue);
        self.load_limits(queue, changes);
        Ok(())
    }

    /// The limits of a queue, in the order of their scopes.
    pub fn limits(&self, queue: &QueueName) -> Vec<(LimitScope, Limit)> {
        let limits = self.queue_limits(queue).into_iter().flat_map(|limits| &limits.0);
        limits.map(|(scope, limit)| (scope.clone(), *limit)).collect()
    }

    /// The queues with limits.
    pub fn limited_queues(&self) -> impl Iterator<Item = &QueueName> {
        self.queues.iter().map(|(queue, _)| queue).filter(|queue| self.queue_limits(queue).is_some())
    }

    /// Changes limits of a queue without a notice.
    pub fn load_limits(&mut self, queue: &QueueName, changes: LimitChanges) {
        let indexes = &mut self.state_mut(queue).indexes;
        let partitions = indexes.partitions.get_or_insert_default();
        let of_all = changes.iter().any(|(scope, _)| *scope == LimitScope::EachPartition);
        let scopes: Vec<LimitScope> = changes.iter().map(|(scope, _)| scope.clone()).collect();
        for (scope, limit) in changes {
            partitions.limits.change(scope, limit);
        }
        if of_all {
            partitions.refresh_all();
        } else {
            for scope in &scopes {
                partitions.limit_changed(scope);
            }
        }
        indexes.forget_partitions();
    }

    /// The limits that changed since [`begin`](Self::begin), and what they are now, by queue.
    pub fn limit_edits(&self) -> impl Iterator<Item = (&QueueName, LimitChanges)> {
        self.undo.limits.iter().filter_map(|(queue, former)| {
            let now = self.queue_limits(queue);
            let now = |scope: &LimitScope| now.and_then(|limits| limits.get(scope));
            let others = former.iter().filter(|(scope, former)| now(scope) != **former);
            let changes: LimitChanges = others.map(|(scope, _)| (scope.clone(), now(scope))).collect();
            (!changes.is_empty()).then_some((queue, changes))
        })
    }

    fn queue_limits(&self, queue: &QueueName) -> Option<&QueueLimits> {
        let partitions = self.queues.get(queue)?.indexes.partitions.as_ref()?;
        Some(&partitions.limits).filter(|limits| !limits.is_empty())
    }
}

impl UndoLog {
    /// A limit of a queue is about to change.
    fn limits(&mut self, queue: &QueueName, scope: &LimitScope, former: Option<Limit>) {
        if self.is_recording {
            let of_queue = self.limits.entry(queue.clone()).or_default();
            of_queue.entry(scope.clone()).or_insert(former);
        }
    }
}
