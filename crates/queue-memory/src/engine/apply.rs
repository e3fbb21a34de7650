//! Settling and changing jobs.

use super::Engine;
use queue_core::{
    Applied, EndSignal, JobMeta, Timestamp,
    lifecycle::{BodyPatch, Transition, Verdict, apply},
};

impl Engine {
    /// Applies transitions in order, each by itself; sizes were checked before.
    pub fn apply(&mut self, batch: Vec<Transition>, now: Timestamp) -> Vec<Applied> {
        self.raise_mark(now);
        batch.into_iter().map(|transition| self.apply_one(transition, now)).collect()
    }

    fn apply_one(&mut self, transition: Transition, now: Timestamp) -> Applied {
        let Some((verdict, mut meta, signals)) = self.change(&transition, now) else {
            return Applied::Missing;
        };
        match verdict {
            Verdict::Written { .. } => self.notices.changed(&meta),
            Verdict::Removed => {
                self.state_mut(&transition.queue).remove(transition.seq);
                self.notices.removed(&meta);
            }
            Verdict::Replayed => return Applied::Done(meta),
            Verdict::LeaseLost => return Applied::LeaseLost(meta),
            Verdict::Stale => return Applied::Stale(meta),
            Verdict::Missing => return Applied::Missing,
        }
        // Followers come last: a job that leaves no record frees its id for its own follower.
        let Transition { queue, seq, patch, then, signal, .. } = transition;
        let touches_gate = patch.is_of_gate() || !then.is_empty();
        let holder = (!meta.state.is_terminal()).then_some(seq);
        for new in then {
            self.enqueue_one(&queue, new, holder, now);
        }
        if touches_gate && let Some(looked_at) = self.look_at_gate(&queue, seq, &patch, now) {
            meta = looked_at;
        }
        if let Some(signal) = signal {
            self.send(&queue, &signals, signal.outcome, now);
        }
        if meta.partition.is_some() && self.take_opened(&queue) {
            self.notices.wake(&queue);
        }
        Applied::Done(meta)
    }

    /// The verdict on a transition, the job after it, and what it then sends.
    fn change(
        &mut self,
        transition: &Transition,
        now: Timestamp,
    ) -> Option<(Verdict, JobMeta, Vec<EndSignal>)> {
        let state = self.queues.get_mut(&transition.queue)?;
        let undo = &mut self.undo;
        state.update(transition.seq, now, |entry| {
            undo.changes(entry);
            let mut job = entry.tracked();
            let mut verdict = apply(&mut job, transition, now);
            if let Verdict::Written { body, attempt } = &mut verdict {
                entry.track(&job);
                entry.patch_body(std::mem::replace(body, BodyPatch::Keep));
                if let Some(attempt) = attempt.take() {
                    entry.charge(*attempt);
                }
            }
            let signals = if transition.signal.is_some() { entry.course().end_signals() } else { &[] };
            (verdict, job.meta, signals.to_vec())
        })
    }
}
