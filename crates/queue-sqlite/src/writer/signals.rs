//! Gates and end signals within a transaction: to which jobs a new job sends its signals, what a
//! gate counts, and when it opens.

use super::{session::SqliteSession, waiting::IndexPosition};
use crate::{
    gate::{end_signal_columns, gate_columns, read_end_signal, read_gate},
    row::{SqliteRecord, foreign, integer, written},
};
use queue_core::{
    AnswerRoom, EndOutcome, EndSignal, Enqueued, JobMeta, NewJob, QueueName, Seq, Signalling,
    lifecycle::{Admission, BodyPatch, Received, Transition, admit, look, receive},
};
use rusqlite::OptionalExtension;

impl SqliteSession<'_> {
    /// Reads the gate of a job that has one, as it is now. False if it is not there: the job is not
    /// the one that it was.
    pub(super) fn read_gate(&mut self, stored: &mut SqliteRecord) -> rusqlite::Result<bool> {
        if !stored.has_gate {
            return Ok(true);
        }
        self.put_down_life(stored.job.meta.seq)?;
        let seq = integer(stored.job.meta.seq.get());
        let gate = self.statements.load_gate.query_row([seq], read_gate).optional()?;
        stored.job.meta.gate = gate.map(Box::new);
        Ok(stored.job.meta.gate.is_some())
    }

    /// A record that was read in this transaction, with its gate.
    pub(super) fn with_gate(&mut self, mut stored: SqliteRecord) -> rusqlite::Result<SqliteRecord> {
        let is_there = self.read_gate(&mut stored)?;
        if is_there { Ok(stored) } else { Err(foreign(0, "a job has lost its gate")) }
    }

    /// Writes the gate of a job, if it has one.
    pub(super) fn save_gate(&mut self, job: &JobMeta) -> rusqlite::Result<()> {
        let Some(gate) = job.gate.as_deref() else { return Ok(()) };
        self.statements.save_gate.execute(gate_columns(job.seq, gate)).map(drop)
    }

    /// Removes the gate and the end signals of a job that has some.
    pub(super) fn remove_gate(&mut self, stored: &SqliteRecord) -> rusqlite::Result<()> {
        let seq = integer(stored.job.meta.seq.get());
        if stored.has_gate {
            self.statements.delete_gate.execute([seq])?;
        }
        if stored.job.meta.signalling != Signalling::None {
            self.statements.delete_end_signals.execute([seq])?;
        }
        Ok(())
    }

    pub(super) fn save_end_signals(&mut self, sender: Seq, signals: &[EndSignal]) -> rusqlite::Result<()> {
        for (nth, signal) in signals.iter().enumerate() {
            self.statements.insert_end_signal.execute(end_signal_columns(sender, nth, signal))?;
        }
        Ok(())
    }

    /// What a job sends at its end, or has sent.
    pub(super) fn end_signals(&mut self, job: &JobMeta) -> rusqlite::Result<Vec<EndSignal>> {
        if job.signalling == Signalling::None {
            return Ok(Vec::new());
        }
        let load = self.statements.load_end_signals.get()?;
        load.query_map([integer(job.seq.get())], read_end_signal)?.collect()
    }

    /// What is answered to a job of which no target takes a raise: what holds its id if it is a
    /// duplicate, and otherwise nothing of it is stored.
    pub(super) fn orphaned(
        &mut self,
        queue: i64,
        name: &QueueName,
        new: &NewJob,
        room: &mut AnswerRoom,
    ) -> rusqlite::Result<Enqueued> {
        match self.load_by_id(queue, name, &new.id)? {
            Some(present) if admit(Some(&present.job.meta), new, self.moment.now) == Admission::Duplicate => {
                self.taken_by(&present, room)
            }
            _ => Ok(Enqueued::Orphaned),
        }
    }

    /// Looks at the gate of a transition's own job, after its followers.
    pub(super) fn look_at_gate(
        &mut self,
        queue: i64,
        stored: &mut SqliteRecord,
        transition: &Transition,
    ) -> rusqlite::Result<()> {
        let is_own = |signal: &EndSignal| signal.raises && signal.to == transition.id;
        let raises_itself = transition.then.iter().any(|new| new.end_signals.iter().any(is_own));
        if raises_itself {
            let Some(raised) = self.load(queue, transition)? else { return Ok(()) };
            *stored = raised;
        }
        let before = IndexPosition::of(&stored.job.meta);
        if look(&mut stored.job.meta, &transition.patch, self.moment.now) {
            written(self.save(queue, &before, stored, &BodyPatch::Keep, None)?)?;
        }
        Ok(())
    }

    /// Sends the signals of a job that has ended.
    pub(super) fn send(
        &mut self,
        queue: i64,
        name: &QueueName,
        signals: &[EndSignal],
        outcome: EndOutcome,
    ) -> rusqlite::Result<()> {
        for signal in signals {
            let Some(mut target) = self.take_target(queue, name, signal)? else { continue };
            let before = IndexPosition::of(&target.job.meta);
            match receive(&mut target.job.meta, signal, outcome, self.moment.now) {
                Received::Dropped => {}
                Received::Counted => self.keep_in_hand(queue, target)?,
                Received::Opened => {
                    written(self.save(queue, &before, &mut target, &BodyPatch::Keep, None)?)?;
                }
            }
        }
        Ok(())
    }
}
