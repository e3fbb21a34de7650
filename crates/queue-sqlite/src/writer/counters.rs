use super::statements::Statements;
use crate::row::Lane;
use queue_core::State;
use rusqlite::params;
use std::collections::BTreeMap;

/// The slot of jobs in the scheduled lane; the slots before it are the states.
pub(crate) const SCHEDULED_SLOT: u8 = 6;

const _: () = assert!(State::ALL.len() == SCHEDULED_SLOT as usize, "every state needs a slot before it");

/// How the number of jobs per queue and slot changed in the transaction at hand, written once at its end.
#[derive(Debug, Default)]
pub(super) struct Counters(BTreeMap<(i64, u8), i64>);

impl Counters {
    /// A job came into a place.
    pub(super) fn enter(&mut self, queue: i64, state: State, lane: Lane) {
        self.add(queue, state, lane, 1);
    }

    /// A job left a place.
    pub(super) fn leave(&mut self, queue: i64, state: State, lane: Lane) {
        self.add(queue, state, lane, -1);
    }

    /// Jobs left the scheduled lane without a change of state.
    pub(super) fn promoted(&mut self, queue: i64, jobs: i64) {
        *self.0.entry((queue, SCHEDULED_SLOT)).or_default() -= jobs;
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

    fn add(&mut self, queue: i64, state: State, lane: Lane, difference: i64) {
        *self.0.entry((queue, state.as_code())).or_default() += difference;
        if lane == Lane::Scheduled {
            *self.0.entry((queue, SCHEDULED_SLOT)).or_default() += difference;
        }
    }
}
