//! Settling and changing jobs.

use super::Engine;
use queue_core::{
    Applied, JobMeta, Timestamp,
    lifecycle::{BodyPatch, Transition, Verdict, apply},
};

impl Engine {
    /// Applies transitions in order, each by itself; sizes were checked before.
    pub fn apply(&mut self, batch: Vec<Transition>, now: Timestamp) -> Vec<Applied> {
        self.raise_mark(now);
        batch.into_iter().map(|transition| self.apply_one(transition, now)).collect()
    }

    fn apply_one(&mut self, transition: Transition, now: Timestamp) -> Applied {
        let Some((verdict, meta)) = self.change(&transition, now) else { return Applied::Missing };
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
        for new in transition.then {
            self.enqueue_one(&transition.queue, new, now);
        }
        Applied::Done(meta)
    }

    fn change(&mut self, transition: &Transition, now: Timestamp) -> Option<(Verdict, JobMeta)> {
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
            (verdict, job.meta)
        })
    }
}
