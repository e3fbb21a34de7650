//! Gates and end signals, and their defects.

use super::state::State;
use crate::defect::Defect;
use queue_core::{
    EndOutcome, EndSignal, JobMeta, NewJob, QueueName, Reason, Seq, Signalling, State as JobState,
    lifecycle::{CloseGate, Lapse, Patch, Received, Requeue, Signals, Transition, look, raise, receive},
};

impl State {
    /// Resolves the lives that the signals of a new job are to, and raises. False: it is orphaned.
    pub(super) fn raise(&mut self, queue: &QueueName, new: &mut NewJob, holder: Option<Seq>) -> bool {
        let holder = holder.filter(|_| !self.has(Defect::HolderRefused));
        let now = self.now;
        let takes_all = self.has(Defect::CompleteGateRaised);
        let lane = self.lane(queue);
        for signal in &mut new.end_signals {
            let target = lane.by_id(&signal.to).map(|record| &record.job.meta);
            let target = target.filter(|meta| signal.life.is_none_or(|life| life == meta.seq));
            let takes = |meta: &JobMeta| {
                let by_itself = holder == Some(meta.seq) || takes_all && meta.gate.is_some();
                raise(&mut meta.clone(), by_itself, now)
            };
            signal.life = target.filter(|meta| takes(meta)).map(|meta| meta.seq);
        }
        let is_orphaned = new.end_signals.iter().any(|signal| signal.raises && signal.life.is_none());
        if is_orphaned && !self.has(Defect::OrphanStored) {
            return false;
        }
        new.end_signals.retain(|signal| signal.life.is_some());
        for life in new.end_signals.iter().filter(|signal| signal.raises).filter_map(|signal| signal.life) {
            self.raise_one(queue, life, holder == Some(life) || takes_all);
        }
        true
    }

    /// A duplicate raises too, with one defect.
    pub(super) fn raise_by_duplicate(&mut self, queue: &QueueName, new: &NewJob) {
        let raised = new.end_signals.iter().filter(|signal| signal.raises);
        let lane = self.lane(queue);
        let lives: Vec<Seq> = raised.filter_map(|signal| lane.ids.get(&signal.to).copied()).collect();
        for life in lives {
            self.raise_one(queue, life, false);
        }
    }

    fn raise_one(&mut self, queue: &QueueName, life: Seq, by_itself: bool) {
        let now = self.now;
        if let Some(record) = self.lane(queue).records.get_mut(&life) {
            raise(&mut record.job.meta, by_itself, now);
        }
    }

    /// What the store sends for a transition, and whether it was decided so or not.
    pub(super) fn sends(&self, transition: &Transition, before: &JobMeta) -> Option<Signals> {
        let is_lapse = transition.guard.lapse == Lapse::Lapsed;
        let is_expiry =
            matches!(&transition.patch, Patch::Finish(finish) if finish.reason == Some(Reason::Expired));
        let silent = [
            (Defect::LapseUnsignalled, is_lapse),
            (Defect::ExpiryUnsignalled, is_expiry),
            (Defect::DeleteUnsignalled, transition.patch == Patch::Remove),
        ];
        if silent.into_iter().any(|(defect, is_so)| is_so && self.has(defect)) {
            return None;
        }
        let waits_again = matches!(transition.patch, Patch::Requeue(Requeue { fresh: false, .. }));
        if let (true, Signalling::Owed(count)) = (waits_again, before.signalling)
            && self.has(Defect::RequeueSignalled)
        {
            return Some(Signals { outcome: EndOutcome::Failed, count });
        }
        transition.signal
    }

    pub(super) fn send(&mut self, queue: &QueueName, signals: &[EndSignal], outcome: EndOutcome) {
        for signal in signals {
            self.send_one(queue, signal, outcome);
        }
    }

    fn send_one(&mut self, queue: &QueueName, signal: &EndSignal, outcome: EndOutcome) {
        let (now, defect) = (self.now, self.defect());
        let lane = self.lane(queue);
        let life = match defect {
            Some(Defect::SignalToAnyLife) => lane.ids.get(&signal.to).copied(),
            _ => signal.life,
        };
        let Some(record) = life.and_then(|life| lane.records.get_mut(&life)) else { return };
        let meta = &mut record.job.meta;
        let former = meta.gate.clone();
        let received = receive(meta, signal, outcome, now);
        match defect {
            Some(Defect::SignalBumpsRevision) if received == Received::Counted => meta.revision += 1,
            Some(Defect::UrgentUnheeded) if received == Received::Opened && signal.urgent => {
                *meta = JobMeta { gate: former, ..meta.clone() };
                meta.run_at = now + queue_core::Span::MAX;
            }
            Some(Defect::BackOffCutShort) if received == Received::Counted => {
                let is_complete = meta.gate.as_ref().is_some_and(|gate| gate.is_complete());
                if is_complete && meta.state == JobState::Failing {
                    meta.run_at = meta.run_at.min(now);
                }
            }
            _ => {}
        }
        let meta = meta.clone();
        if received == Received::Opened {
            self.changed(&meta);
        }
    }

    /// Looks at the gate of a transition's own job, and returns the job as it then is.
    pub(super) fn look(&mut self, queue: &QueueName, seq: Seq, patch: &Patch) -> Option<JobMeta> {
        let (now, defect) = (self.now, self.defect());
        let meta = &mut self.lane(queue).records.get_mut(&seq)?.job.meta;
        meta.gate.as_ref()?;
        let mut patch = patch.clone();
        match (defect, &mut patch) {
            (Some(Defect::SealUnlooked), Patch::Seal) => return None,
            (Some(Defect::UrgentOfRunLost), Patch::Requeue(Requeue { closes: Some(closes), .. })) => {
                **closes = CloseGate { not_completed_seen: u64::MAX, ..**closes };
            }
            _ => {}
        }
        let opens = look(meta, &patch, now);
        let meta = meta.clone();
        if opens {
            self.changed(&meta);
        }
        Some(meta)
    }

    /// Spoils what a patch wrote about the gate and the signals of its own job.
    pub(super) fn spoil_gate(&mut self, transition: &Transition, before: &JobMeta) {
        let defect = self.defect();
        let Some(record) = self.lane(&transition.queue).records.get_mut(&transition.seq) else { return };
        let meta = &mut record.job.meta;
        match (defect, &transition.patch) {
            (Some(Defect::RedriveSignalsAgain), Patch::Requeue(Requeue { fresh: true, .. }))
                if meta.signalling == Signalling::Sent =>
            {
                meta.signalling = Signalling::owing(record.end_signals.len());
            }
            (Some(Defect::ReleaseCloses), Patch::Requeue(Requeue { fresh: false, .. })) => {
                if let (Some(gate), JobState::Processing) = (&mut meta.gate, before.state) {
                    gate.closed_at = Some(meta.epoch);
                }
            }
            (Some(Defect::SignallerPurged), Patch::Finish(_)) if meta.signalling != Signalling::None => {
                meta.purge_at = meta.finished_at.map(|at| at + queue_core::Span::from_secs(3_600));
            }
            _ => {}
        }
    }
}
