use super::{record::Record, spoil, state::State};
use crate::defect::Defect;
use queue_core::{
    Applied, JobMeta, NewJob, QueueName,
    lifecycle::{BodyPatch, Patch, Transition, Verdict, apply},
};
use std::collections::HashSet;

impl State {
    pub(super) fn apply(&mut self, batch: Vec<Transition>) -> Vec<Applied> {
        let mut answers: Vec<Applied> = Vec::with_capacity(batch.len());
        for transition in batch {
            let has_ended = self.has(Defect::BatchStops) && answers.iter().any(|answer| !answer.is_done());
            answers.push(if has_ended { Applied::Missing } else { self.apply_one(transition) });
        }
        answers
    }

    fn apply_one(&mut self, mut transition: Transition) -> Applied {
        let Some((verdict, meta)) = self.change(&mut transition) else { return Applied::Missing };
        match verdict {
            Verdict::Written(_) => self.changed(&meta),
            Verdict::Removed => self.remove(&transition.queue, transition.seq),
            Verdict::Replayed => {
                if self.has(Defect::FollowersRepeated) {
                    self.follow(&transition.queue, transition.then);
                }
                return Applied::Done(meta);
            }
            Verdict::LeaseLost => return Applied::LeaseLost(meta),
            Verdict::Stale => return Applied::Stale(meta),
            Verdict::Missing => return Applied::Missing,
        }
        self.follow(&transition.queue, transition.then);
        Applied::Done(meta)
    }

    fn change(&mut self, transition: &mut Transition) -> Option<(Verdict, JobMeta)> {
        let (now, defect) = (self.now, self.defect());
        let lane = self.lane(&transition.queue);
        let results = lane.results;
        let record = lane.records.get_mut(&transition.seq)?;
        if let Some(defect) = defect {
            spoil::guard(defect, &mut record.job, &mut transition.guard);
            spoil::patch(defect, &record.job.meta, &mut transition.patch);
        }
        let verdict = apply(&mut record.job, transition, now);
        if let Verdict::Written(body) = &verdict {
            store_body(record, body.clone(), defect, results);
            if defect == Some(Defect::QuietHeartbeats) && is_quiet(&transition.patch) {
                record.job.meta.revision -= 1;
            }
        }
        let meta = record.job.meta.clone();
        lane.results += u64::from(matches!(verdict, Verdict::Written(BodyPatch::Result(_))));
        Some((verdict, meta))
    }

    fn follow(&mut self, queue: &QueueName, then: Vec<NewJob>) {
        for new in then {
            self.enqueue_one(queue, new, &mut HashSet::new());
        }
    }
}

fn is_quiet(patch: &Patch) -> bool {
    matches!(patch, Patch::Extend { .. } | Patch::Flag(_))
}

fn store_body(record: &mut Record, body: BodyPatch, defect: Option<Defect>, results: u64) {
    match (body, defect) {
        (BodyPatch::Result(_), Some(Defect::SecondResultLost)) if results > 0 => {}
        (BodyPatch::ErrorDetails(_), Some(Defect::DetailsLost)) => {}
        (body, _) => record.patch(body),
    }
}
