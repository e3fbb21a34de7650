//! Changes to the counters of queues, collected in a transaction and written at its end.

use super::statements::Statements;
use queue_core::State;
use queue_store::News;
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};

/// The slot of scheduled jobs; the slots before it are the states.
pub(crate) const SCHEDULED_SLOT: u8 = 6;
/// The slot of jobs behind closed gates.
pub(crate) const GATED_SLOT: u8 = 7;

/// The mark of a queue that has pauses of kinds, or jobs that were set aside for them.
pub(crate) const HAS_KINDS: u8 = 1;
/// The mark of a queue that has gated jobs: it is there as long as their counter is above zero.
pub(super) const HAS_GATED: u8 = 2;
/// The mark of a queue that has partitions or limits: its claims go by turns.
pub(crate) const HAS_PARTITIONS: u8 = 4;

const _: () = assert!(State::ALL.len() == SCHEDULED_SLOT as usize, "every state needs a slot before it");

/// Changes to the number of jobs per queue and slot in the current transaction, written once at its
/// end. They also say which queues the transaction changed.
#[derive(Debug, Default)]
pub(super) struct Counters {
    changes: BTreeMap<(i64, u8), i64>,
    /// Queues from which a claim may get more now; usually one.
    woken: BTreeSet<i64>,
}

impl Counters {
    /// Adds to, or subtracts from, the jobs of a slot.
    pub(super) fn add(&mut self, queue: i64, slot: u8, difference: i64) {
        *self.changes.entry((queue, slot)).or_default() += difference;
    }

    /// Whether the current transaction adds to the jobs of a slot, which the file does not show
    /// yet.
    pub(super) fn adds(&self, queue: i64, slot: u8) -> bool {
        self.changes.get(&(queue, slot)).is_some_and(|difference| *difference > 0)
    }

    /// A claim on the queue may find something that it would not have found before.
    pub(super) fn wake(&mut self, queue: i64) {
        self.woken.insert(queue);
    }

    /// The queues that the transaction changed.
    pub(super) fn news(&self) -> BTreeMap<i64, News> {
        let changed = self.changes.keys().map(|(queue, _)| (*queue, News::Changed));
        let mut news: BTreeMap<_, _> = changed.collect();
        news.extend(self.woken.iter().map(|queue| (*queue, News::Wakes)));
        news
    }

    pub(super) fn flush(&mut self, statements: &mut Statements<'_>) -> rusqlite::Result<()> {
        while let Some(((queue, slot), difference)) = self.changes.pop_first() {
            if difference != 0 {
                statements.add_count.execute(params![queue, slot, difference])?;
                if slot == GATED_SLOT {
                    statements.save_has_gated.execute([queue])?;
                }
            }
        }
        self.woken.clear();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.woken.clear();
    }
}
