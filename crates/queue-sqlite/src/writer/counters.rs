use super::statements::Statements;
use queue_core::State;
use rusqlite::params;
use std::collections::BTreeMap;

/// The slot of jobs that wait for their time; the slots before it are the states.
pub(crate) const SCHEDULED_SLOT: u8 = 6;

const _: () = assert!(State::ALL.len() == SCHEDULED_SLOT as usize, "every state needs a slot before it");

/// How the number of jobs per queue and slot changed in the transaction at hand, written once at its end.
#[derive(Debug, Default)]
pub(super) struct Counters(BTreeMap<(i64, u8), i64>);

impl Counters {
    /// So many more jobs stand in a slot, or fewer.
    pub(super) fn add(&mut self, queue: i64, slot: u8, difference: i64) {
        *self.0.entry((queue, slot)).or_default() += difference;
    }

    pub(super) fn flush(&mut self, statements: &mut Statements<'_>) -> rusqlite::Result<()> {
        while let Some(((queue, slot), difference)) = self.0.pop_first() {
            if difference != 0 {
                statements.add_count.execute(params![queue, slot, difference])?;
            }
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
