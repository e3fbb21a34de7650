//! The job in whose gate a transaction counts. It is written once for many signals: members of a
//! batch come and end by the thousand, and each of them raises, or counts in, the same gate.

use super::session::SqliteSession;
use crate::row::{SqliteRecord, integer};
use queue_core::{EndSignal, JobId, QueueName, Seq};

/// A job whose gate has counted what is not written yet. Everything else of it is as it is stored.
#[derive(Debug)]
pub(super) struct TargetInHand {
    queue: i64,
    target: SqliteRecord,
}

impl TargetInHand {
    fn is(&self, queue: i64, id: &JobId) -> bool {
        self.queue == queue && self.target.job.meta.id == *id
    }
}

impl SqliteSession<'_> {
    /// The job that holds an id, with the gate as this transaction has left it.
    pub(super) fn target_by_id(
        &mut self,
        queue: i64,
        name: &QueueName,
        id: &JobId,
    ) -> rusqlite::Result<Option<SqliteRecord>> {
        match &self.in_hand {
            Some(hand) if hand.is(queue, id) => Ok(Some(hand.target.clone())),
            _ => self.load_by_id(queue, name, id),
        }
    }

    /// The job that a signal is to. The caller [keeps](Self::keep_in_hand) or saves it, unless it
    /// counts nothing of it.
    pub(super) fn take_target(
        &mut self,
        queue: i64,
        name: &QueueName,
        signal: &EndSignal,
    ) -> rusqlite::Result<Option<SqliteRecord>> {
        let is_to = |hand: &mut TargetInHand| {
            let is_life = signal.life.is_none_or(|life| life == hand.target.job.meta.seq);
            hand.is(queue, &signal.to) && is_life
        };
        if let Some(hand) = self.in_hand.take_if(is_to) {
            return Ok(Some(hand.target));
        }
        match signal.life {
            Some(life) => self.load_life(queue, name, life, &signal.to),
            // One that came by an import knows only the id, since its job came before the other.
            None => self.load_by_id(queue, name, &signal.to),
        }
    }

    /// Keeps a job whose gate has counted, in place of the one that was in hand.
    pub(super) fn keep_in_hand(&mut self, queue: i64, mut target: SqliteRecord) -> rusqlite::Result<()> {
        let meta = &target.job.meta;
        if !self.has_in_hand(meta.seq) {
            self.put_down()?;
        }
        if !target.has_gate {
            self.statements.mark_gate.execute([integer(meta.seq.get())])?;
            target.has_gate = true;
        }
        self.in_hand = Some(TargetInHand { queue, target });
        Ok(())
    }

    /// Writes what is in hand.
    pub(super) fn put_down(&mut self) -> rusqlite::Result<()> {
        match self.in_hand.take() {
            Some(hand) => self.save_gate(&hand.target.job.meta),
            None => Ok(()),
        }
    }

    /// Writes a job that is in hand, since something else is done with it.
    pub(super) fn put_down_life(&mut self, seq: Seq) -> rusqlite::Result<()> {
        if self.has_in_hand(seq) { self.put_down() } else { Ok(()) }
    }

    fn has_in_hand(&self, seq: Seq) -> bool {
        self.in_hand.as_ref().is_some_and(|hand| hand.target.job.meta.seq == seq)
    }
}
