//! Where a job stands: the two orders of waiting jobs, those that failed, and the counters, kept in step with its state.

use super::{SCHEDULED_SLOT, session::Session};
use crate::row::integer;
use queue_core::{JobMeta, Seq, State, Timestamp};
use rusqlite::params;

/// Scheduled jobs that one claim moves to the ready ones before it looks for its own.
const PROMOTE_MAX: usize = 10_000;

/// Where a job stood before it was changed, and at which revision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    seq: Seq,
    priority: i16,
    run_at: Timestamp,
    pub(super) state: State,
    pub(super) revision: u64,
    /// Since when it stood among those that failed.
    failed: Option<Timestamp>,
}

impl Place {
    pub(super) fn of(job: &JobMeta) -> Self {
        let JobMeta { seq, priority, run_at, state, revision, .. } = *job;
        Self { seq, priority, run_at, state, revision, failed: failed(job) }
    }
}

impl Session<'_> {
    /// A job comes to where it now belongs.
    pub(super) fn enter(&mut self, queue: i64, job: &JobMeta) -> rusqlite::Result<()> {
        self.counters.add(queue, job.state.as_code(), 1);
        if let Some(at) = failed(job) {
            let entry = params![queue, job.state.as_code(), at.as_millis(), integer(job.seq.get())];
            self.statements.insert_failure.execute(entry)?;
        }
        if !job.state.is_waiting() {
            return Ok(());
        }
        self.counters.wake(queue);
        let (run_at, seq) = (job.run_at.as_millis(), integer(job.seq.get()));
        if job.run_at <= self.moment.now {
            self.statements.insert_ready.execute(params![queue, job.priority, run_at, seq])?;
        } else {
            self.statements.insert_scheduled.execute(params![queue, run_at, seq])?;
            self.counters.add(queue, SCHEDULED_SLOT, 1);
        }
        Ok(())
    }

    /// A job leaves where it stood. One whose time came since it was scheduled may still stand there.
    pub(super) fn leave(&mut self, queue: i64, place: Place) -> rusqlite::Result<()> {
        self.leave_state(queue, place)?;
        if !place.state.is_waiting() {
            return Ok(());
        }
        let (run_at, seq) = (place.run_at.as_millis(), integer(place.seq.get()));
        if self.statements.delete_ready.execute(params![queue, place.priority, run_at, seq])? == 0 {
            self.statements.delete_scheduled.execute(params![queue, run_at, seq])?;
            self.counters.add(queue, SCHEDULED_SLOT, -1);
        }
        Ok(())
    }

    /// A job leaves the state that it was in.
    pub(super) fn leave_state(&mut self, queue: i64, place: Place) -> rusqlite::Result<()> {
        self.counters.add(queue, place.state.as_code(), -1);
        if let Some(at) = place.failed {
            let entry = params![queue, place.state.as_code(), at.as_millis(), integer(place.seq.get())];
            self.statements.delete_failure.execute(entry)?;
        }
        Ok(())
    }

    /// Jobs leave the front of the ready ones for a claim, the last of them from this place.
    pub(super) fn leave_front(&mut self, queue: i64, last: Place) -> rusqlite::Result<()> {
        let last = params![queue, last.priority, last.run_at.as_millis(), integer(last.seq.get())];
        self.statements.delete_claimed.execute(last)?;
        Ok(())
    }

    /// Scheduled jobs whose time has come join the ready ones, a bounded number in one claim.
    pub(super) fn promote_due(&mut self, queue: i64) -> rusqlite::Result<()> {
        let bounds = params![queue, self.moment.now.as_millis(), integer(PROMOTE_MAX as u64)];
        let moved = integer(self.statements.promote_due.execute(bounds)? as u64);
        if moved > 0 {
            self.statements.delete_promoted.execute(params![queue, moved])?;
            self.counters.add(queue, SCHEDULED_SLOT, -moved);
        }
        Ok(())
    }
}

/// Since when a job is in a state in which people look for it.
fn failed(job: &JobMeta) -> Option<Timestamp> {
    matches!(job.state, State::Failing | State::Failed | State::Cancelled).then(|| job.entered_at())
}
