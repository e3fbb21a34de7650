//! The queues of the engine by name.

use super::{queue_state::QueueState, undo_log::UndoLog};
use foldhash::HashMap;
use queue_core::QueueName;
use std::{collections::BTreeSet, ops::Bound};

/// The queues by name, and their names in order. None is ever taken out, but where the first use of
/// it is taken back.
#[derive(Debug, Default)]
pub(super) struct Queues {
    by_name: HashMap<QueueName, QueueState>,
    names: BTreeSet<QueueName>,
}

impl Queues {
    pub(super) fn get(&self, name: &QueueName) -> Option<&QueueState> {
        self.by_name.get(name)
    }

    pub(super) fn get_mut(&mut self, name: &QueueName) -> Option<&mut QueueState> {
        self.by_name.get_mut(name)
    }

    /// The queue, which is empty if there was none.
    pub(super) fn open(&mut self, name: &QueueName, undo: &mut UndoLog) -> &mut QueueState {
        let names = &mut self.names;
        self.by_name.entry(name.clone()).or_insert_with(|| {
            names.insert(name.clone());
            undo.opens(name);
            QueueState::default()
        })
    }

    pub(super) fn forget(&mut self, name: &QueueName) {
        self.by_name.remove(name);
        self.names.remove(name);
    }

    /// The names that do not sort before this text, in order.
    pub(super) fn names_from(&self, start: &str) -> impl Iterator<Item = &QueueName> {
        self.names.range::<str, _>((Bound::Included(start), Bound::Unbounded))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&QueueName, &QueueState)> {
        self.by_name.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&QueueName, &mut QueueState)> {
        self.by_name.iter_mut()
    }

    /// Whether both parts tell of the same queues.
    pub(super) fn is_whole(&self) -> bool {
        self.by_name.len() == self.names.len() && self.by_name.keys().all(|name| self.names.contains(name))
    }
}
