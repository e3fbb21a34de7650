//! Transitions, and the defects of applying them.

use super::{
    record::{Lane, Record},
    spoil,
    state::State,
};
use crate::defect::Defect;
use queue_core::{
    Applied, Attempt, FailedJob, Headers, JobId, JobMeta, NewJob, QueueName, Seq, Timestamp,
    lifecycle::{BodyPatch, Lapse, Patch, Settle, Transition, Verdict, apply},
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
        let of_before = |lane: &Lane| lane.records.get(&transition.seq).cloned();
        let before = self.lanes.get(&transition.queue).and_then(of_before);
        let Some((verdict, mut meta)) = self.change(&mut transition) else { return Applied::Missing };
        let Some(before) = before else { return Applied::Missing };
        match verdict {
            Verdict::Written { .. } => self.changed(&meta),
            Verdict::Removed => self.remove(&transition.queue, transition.seq),
            Verdict::Replayed => {
                if let (true, Some(signal)) = (self.has(Defect::SignalledAgain), transition.signal) {
                    self.send(&transition.queue, &before.end_signals, signal.outcome);
                }
                self.follow_again(transition, &meta);
                return Applied::Done(meta);
            }
            Verdict::LeaseLost => return Applied::LeaseLost(meta),
            Verdict::Stale => {
                if self.has(Defect::StaleFollowed) {
                    self.follow(&transition.queue, transition.then, None);
                } else if let (true, Some(signal)) = (self.has(Defect::StaleSignalled), transition.signal) {
                    self.send(&transition.queue, &before.end_signals, signal.outcome);
                }
                return Applied::Stale(meta);
            }
            Verdict::Missing => return Applied::Missing,
        }
        if let Some(defect) = self.defect() {
            spoil::followers(defect, &mut transition, &meta);
        }
        if self.has(Defect::TagsOfFollowed) {
            transition.then.iter_mut().for_each(|new| new.tags = meta.tags.clone());
        }
        self.spoil_gate(&transition, &before.job.meta);
        let signal = self.sends(&transition, &before.job.meta);
        let Transition { queue, seq, patch, then, .. } = transition;
        let is_early = self.has(Defect::SignalsBeforeRaises);
        for signal in signal.iter().filter(|_| is_early) {
            self.send(&queue, &before.end_signals, signal.outcome);
        }
        if self.has(Defect::OpenedBeforeRaises) {
            self.look(&queue, seq, &patch);
        }
        self.follow(&queue, then, (!meta.state.is_terminal()).then_some(seq));
        if let Some(looked_at) = self.look(&queue, seq, &patch) {
            meta = looked_at;
        }
        for signal in signal.iter().filter(|_| !is_early) {
            self.send(&queue, &before.end_signals, signal.outcome);
        }
        Applied::Done(meta)
    }

    fn follow_again(&mut self, mut transition: Transition, meta: &JobMeta) {
        let settle = spoil::settle(&transition);
        let repeats = self.has(Defect::FollowersRepeated)
            || (self.has(Defect::FollowersOfSnoozesRepeated) && settle == Some(Settle::Snooze));
        if repeats {
            self.follow(&transition.queue, transition.then, None);
        } else if self.has(Defect::MournedTwice) && settle == Some(Settle::Fail) {
            let own = FailedJob::follow_up_id(meta);
            transition.then.retain(|new| new.id == own);
            for new in &mut transition.then {
                new.id = JobId::new(format!("{own}-again")).expect("a valid id");
            }
            self.follow(&transition.queue, transition.then, None);
        }
    }

    fn change(&mut self, transition: &mut Transition) -> Option<(Verdict, JobMeta)> {
        let (now, defect) = (self.now, self.defect());
        let lane = self.lane(&transition.queue);
        let results = lane.results;
        let record = lane.records.get_mut(&transition.seq)?;
        if let Some(defect) = defect {
            spoil::guard(defect, &mut record.job, &mut transition.guard);
            spoil::patch(defect, &record.job.meta, &mut transition.patch);
            spoil::time(defect, transition);
        }
        let failed_before = record.job.meta.failed_at;
        let verdict = apply(&mut record.job, transition, now);
        if verdict == Verdict::Replayed {
            settle_again(record, &transition.patch, defect, now);
        }
        charge(record, transition, &verdict, defect);
        if let Verdict::Written { body, .. } = &verdict {
            if defect == Some(Defect::FailureTimeStands) && is_fresh(&transition.patch) {
                record.job.meta.failed_at = failed_before;
            }
            store_body(record, body.clone(), defect, results);
            if defect == Some(Defect::ProgressCleared) && is_noteless(&transition.patch) {
                record.job.meta.progress = None;
            }
            if defect == Some(Defect::QuietHeartbeats) && is_quiet(&transition.patch) {
                record.job.meta.revision -= 1;
            }
        }
        let meta = record.job.meta.clone();
        lane.results += u64::from(matches!(verdict, Verdict::Written { body: BodyPatch::Result(_), .. }));
        Some((verdict, meta))
    }

    fn follow(&mut self, queue: &QueueName, then: Vec<NewJob>, holder: Option<Seq>) {
        for new in then {
            self.enqueue_one(queue, new, holder, &mut HashSet::new());
        }
    }
}

/// Whether a job is given back or put off without an error.
fn is_noteless(patch: &Patch) -> bool {
    matches!(patch, Patch::Requeue(requeue) if requeue.progress.is_none() && requeue.error.is_none())
}

fn is_quiet(patch: &Patch) -> bool {
    matches!(patch, Patch::Extend { .. } | Patch::Flag(_))
}

fn is_fresh(patch: &Patch) -> bool {
    matches!(patch, Patch::Requeue(requeue) if requeue.fresh)
}

/// Writes what a settle that is sent again must leave as it is.
fn settle_again(record: &mut Record, patch: &Patch, defect: Option<Defect>, now: Timestamp) {
    let meta = &mut record.job.meta;
    match (patch, defect) {
        (Patch::Finish(finish), Some(Defect::ResultOfLast)) => {
            meta.last_error = finish.error.clone().or(meta.last_error.take());
            record.patch(patch.body());
        }
        (Patch::Finish(finish), Some(Defect::KeepOfLast)) => meta.purge_at = finish.purge.at(now),
        (Patch::Remove, Some(Defect::KeepOfLast)) => meta.purge_at = Some(now),
        _ => {}
    }
}

/// Keeps the charged attempt.
fn charge(record: &mut Record, transition: &Transition, verdict: &Verdict, defect: Option<Defect>) {
    let is_settled_again = *verdict == Verdict::Replayed && defect == Some(Defect::AttemptAddedAgain);
    if is_settled_again {
        record.attempts.extend(record.attempts.last().cloned());
    }
    if defect == Some(Defect::AttemptsClearedByRedrive) && is_fresh(&transition.patch) {
        record.attempts.clear();
    }
    let Verdict::Written { attempt: Some(attempt), .. } = verdict else { return };
    match defect {
        Some(Defect::AttemptsLostOnLapse) if transition.guard.lapse == Lapse::Lapsed => {}
        Some(Defect::AttemptsUnbounded) => record.attempts.push((**attempt).clone()),
        _ => Attempt::push(&mut record.attempts, (**attempt).clone()),
    }
}

fn store_body(record: &mut Record, body: BodyPatch, defect: Option<Defect>, results: u64) {
    match (body, defect) {
        (BodyPatch::Result(_), Some(Defect::SecondResultLost)) if results > 0 => {}
        (BodyPatch::ErrorDetails(_), Some(Defect::DetailsLost)) => {}
        (BodyPatch::Payload(payload), Some(Defect::AmendedRoomOfFormer)) => record.payload = payload,
        (body @ BodyPatch::Payload(_), Some(Defect::AmendDropsHeaders)) => {
            record.headers = Headers::NONE;
            record.patch(body);
        }
        (body, _) => record.patch(body),
    }
}
