//! End signals: to which jobs a new job sends them, and what a gate counts.

use super::{Engine, packed_job::PackedJob, queue_state::QueueState, undo_log::UndoLog};
use queue_core::{
    EndOutcome, EndSignal, JobId, JobMeta, QueueName, Seq, Timestamp,
    lifecycle::{Patch, Received, TrackedJob, address, look, receive},
};
use std::convert::Infallible;

impl Engine {
    /// Looks at the gate of a transition's own job, after its followers. The answer is the job, if
    /// it is there and has a gate.
    pub(super) fn look_at_gate(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        patch: &Patch,
        now: Timestamp,
    ) -> Option<JobMeta> {
        let Self { queues, notices, .. } = self;
        let state = queues.get_mut(queue)?;
        state.entries.get(&seq)?.course().gate()?;
        state.update(seq, now, |entry| {
            let mut job = entry.tracked();
            if look(&mut job.meta, patch, now) {
                entry.track(&job);
                notices.changed(&job.meta);
            }
            job.meta
        })
    }

    /// Sends the signals of a job that has ended.
    pub(super) fn send(
        &mut self,
        queue: &QueueName,
        signals: &[EndSignal],
        outcome: EndOutcome,
        now: Timestamp,
    ) {
        let Self { queues, undo, notices, .. } = self;
        let Some(state) = queues.get_mut(queue) else { return };
        for signal in signals {
            // One that came by an import knows only the id, since its job came before the other.
            let life = signal.life.or_else(|| state.ids.get(&signal.to).copied());
            let Some(entry) = life.and_then(|life| state.entries.get_mut(&life)) else { continue };
            let mut job = entry.tracked();
            match receive(&mut job.meta, signal, outcome, now) {
                Received::Dropped => {}
                Received::Counted => {
                    undo.changes(entry);
                    entry.track(&job);
                }
                Received::Opened => {
                    undo.changes(entry);
                    state.update(job.meta.seq, now, |entry| entry.track(&job));
                    notices.changed(&job.meta);
                }
            }
        }
    }
}

impl QueueState {
    /// Addresses the signals of a new job, and raises those that are to be raised. False if one of
    /// these takes no raise; nothing is changed then.
    pub(super) fn raise(
        &mut self,
        signals: &mut Vec<EndSignal>,
        holder: Option<Seq>,
        undo: &mut UndoLog,
        now: Timestamp,
    ) -> bool {
        let find = |to: &JobId| Ok(self.by_id(to).map(PackedJob::meta));
        let Ok::<_, Infallible>(addressed) = address(signals, holder, now, find, |target| target);
        let Some(addressed) = addressed else { return false };
        for target in addressed.raised {
            let Some(entry) = self.entries.get_mut(&target.seq) else { continue };
            undo.changes(entry);
            entry.track(&TrackedJob { meta: target, ..entry.tracked() });
        }
        *signals = addressed.signals;
        true
    }
}
