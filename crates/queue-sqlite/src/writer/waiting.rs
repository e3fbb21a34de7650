//! The index entries and counters of a job, kept in step with its state: ready, scheduled, gated,
//! failures.

use super::{GATED_SLOT, SCHEDULED_SLOT, session::SqliteSession};
use crate::row::integer;
use queue_core::{Gate, JobMeta, Partition, Seq, SharedTerms, State, Timestamp};
use rusqlite::params;

/// How many scheduled jobs one claim promotes before it searches for its own, and how many jobs
/// whose gate has timed out.
pub(super) const PROMOTE_MAX: usize = 10_000;

/// The index keys and the revision of a job before a change.
#[derive(Clone, Debug)]
pub(super) struct IndexPosition {
    seq: Seq,
    priority: i16,
    run_at: Timestamp,
    pub(super) state: State,
    pub(super) revision: u64,
    /// Since when the job was among the failures.
    failed: Option<Timestamp>,
    terms: SharedTerms,
    is_behind_gate: bool,
    gate: Option<Box<Gate>>,
    partition: Option<Partition>,
}

impl IndexPosition {
    pub(super) fn of(job: &JobMeta) -> Self {
        let JobMeta { seq, priority, run_at, state, revision, .. } = *job;
        let (failed, terms, gate) = (failed(job), job.terms.clone(), job.gate.clone());
        let is_behind_gate = gate.as_ref().is_some_and(|gate| gate.is_closed(job.epoch));
        let partition = job.partition.clone();
        Self { seq, priority, run_at, state, revision, failed, terms, is_behind_gate, gate, partition }
    }

    /// Whether a change since then was to what is otherwise set once.
    pub(super) fn is_amended_in(&self, job: &JobMeta) -> bool {
        self.priority != job.priority || self.terms != job.terms
    }

    /// Whether a change since then was to the gate.
    pub(super) fn has_another_gate_in(&self, job: &JobMeta) -> bool {
        self.gate != job.gate
    }
}

impl SqliteSession<'_> {
    /// Adds the index entries of a job's new state.
    pub(super) fn enter(&mut self, queue: i64, job: &JobMeta) -> rusqlite::Result<()> {
        self.enter_state(queue, job)?;
        self.place(queue, job)
    }

    /// Adds a job to the counter of its new state, and to the failures.
    pub(super) fn enter_state(&mut self, queue: i64, job: &JobMeta) -> rusqlite::Result<()> {
        self.counters.add(queue, job.state.as_code(), 1);
        self.partitions.count(&queue, job.partition.as_ref(), job.state, 1);
        if let Some(at) = failed(job) {
            let entry = params![queue, job.state.as_code(), at.as_millis(), integer(job.seq.get())];
            self.statements.insert_failure.execute(entry)?;
        }
        Ok(())
    }

    /// Gives a job that waits its place in line.
    pub(super) fn place(&mut self, queue: i64, job: &JobMeta) -> rusqlite::Result<()> {
        if !job.state.is_waiting() {
            return Ok(());
        }
        // Other processes wake their claims only for queues in which a job came to wait (ADR 0044).
        self.counters.wake(queue);
        let (run_at, seq) = (job.run_at.as_millis(), integer(job.seq.get()));
        if job.is_due(self.moment.now) {
            self.insert_due(queue, job.partition.as_ref(), (job.priority, run_at, seq))?;
        } else if job.is_gated(self.moment.now) {
            self.statements.insert_gated.execute(params![queue, run_at, seq])?;
            self.counters.add(queue, GATED_SLOT, 1);
        } else {
            self.statements.insert_scheduled.execute(params![queue, run_at, seq])?;
            self.counters.add(queue, SCHEDULED_SLOT, 1);
        }
        Ok(())
    }

    /// Removes the index entries of a job's former state. A job that became due may still be among
    /// the scheduled ones, and one whose gate has timed out among the gated ones.
    pub(super) fn leave(&mut self, queue: i64, place: &IndexPosition) -> rusqlite::Result<()> {
        self.leave_state(queue, place)?;
        if !place.state.is_waiting() {
            return Ok(());
        }
        let (run_at, seq) = (place.run_at.as_millis(), integer(place.seq.get()));
        if place.is_behind_gate && self.statements.delete_gated.execute(params![queue, run_at, seq])? == 1 {
            self.counters.add(queue, GATED_SLOT, -1);
            return Ok(());
        }
        if !self.delete_due(queue, place.partition.as_ref(), (place.priority, run_at, seq))? {
            if self.statements.delete_scheduled.execute(params![queue, run_at, seq])? == 0 {
                return self.leave_aside(queue, place.priority, run_at, seq);
            }
            self.counters.add(queue, SCHEDULED_SLOT, -1);
        }
        Ok(())
    }

    /// Removes a job from the counter of its former state, and from the failures.
    pub(super) fn leave_state(&mut self, queue: i64, place: &IndexPosition) -> rusqlite::Result<()> {
        self.counters.add(queue, place.state.as_code(), -1);
        self.partitions.count(&queue, place.partition.as_ref(), place.state, -1);
        if let Some(at) = place.failed {
            let entry = params![queue, place.state.as_code(), at.as_millis(), integer(place.seq.get())];
            self.statements.delete_failure.execute(entry)?;
        }
        Ok(())
    }

    /// Removes claimed jobs from the front of the ready ones, up to this position.
    pub(super) fn leave_front(&mut self, queue: i64, last: &IndexPosition) -> rusqlite::Result<()> {
        let last = params![queue, last.priority, last.run_at.as_millis(), integer(last.seq.get())];
        self.statements.delete_claimed.execute(last)?;
        Ok(())
    }

    /// Moves scheduled jobs that are due to the ready ones, a bounded number in one claim.
    pub(super) fn promote_due(&mut self, queue: i64) -> rusqlite::Result<()> {
        let bounds = params![queue, self.moment.now.as_millis(), integer(PROMOTE_MAX as u64)];
        let moved = integer(self.statements.promote_due.execute(bounds)? as u64);
        if moved > 0 {
            self.statements.delete_promoted.execute(params![queue, moved])?;
            self.counters.add(queue, SCHEDULED_SLOT, -moved);
        }
        Ok(())
    }

    /// Moves jobs whose gate has timed out to the ready ones, a bounded number in one claim.
    pub(super) fn promote_timed_out(&mut self, queue: i64) -> rusqlite::Result<()> {
        let bounds = params![queue, self.moment.now.as_millis(), integer(PROMOTE_MAX as u64)];
        let moved = integer(self.statements.promote_timed_out.execute(bounds)? as u64);
        if moved > 0 {
            self.statements.delete_timed_out.execute(params![queue, moved])?;
            self.counters.add(queue, GATED_SLOT, -moved);
        }
        Ok(())
    }
}

/// Since when a job is in a state in which people look for it.
fn failed(job: &JobMeta) -> Option<Timestamp> {
    matches!(job.state, State::Failing | State::Failed | State::Cancelled).then(|| job.entered_at())
}
