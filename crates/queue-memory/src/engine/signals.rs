//! End signals: to which jobs a new job sends them, and what a gate counts.

use super::{Engine, queue_state::QueueState, undo_log::UndoLog};
use queue_core::{
    EndOutcome, EndSignal, JobMeta, QueueName, Seq, Timestamp,
    lifecycle::{Patch, Received, look, raise, receive},
};

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
    /// Resolves to which lives the signals of a new job are, and raises those that are to be
    /// raised. False if one of these takes no raise; nothing is changed then. A signal that raises
    /// nothing is left out if no job would count it. `holder` is the job whose own step enqueues
    /// this one.
    pub(super) fn raise(
        &mut self,
        signals: &mut Vec<EndSignal>,
        holder: Option<Seq>,
        undo: &mut UndoLog,
        now: Timestamp,
    ) -> bool {
        for signal in &mut *signals {
            let target = self.by_id(&signal.to).filter(|to| signal.life.is_none_or(|life| life == to.seq));
            let takes = |job: &mut JobMeta| raise(job, holder == Some(job.seq), now);
            signal.life = target.filter(|to| takes(&mut to.meta())).map(|to| to.seq);
            if signal.raises && signal.life.is_none() {
                return false;
            }
        }
        signals.retain(|signal| signal.life.is_some());
        for life in signals.iter().filter(|signal| signal.raises).filter_map(|signal| signal.life) {
            let Some(entry) = self.entries.get_mut(&life) else { continue };
            undo.changes(entry);
            let mut job = entry.tracked();
            raise(&mut job.meta, holder == Some(life), now);
            entry.track(&job);
        }
        true
    }
}
