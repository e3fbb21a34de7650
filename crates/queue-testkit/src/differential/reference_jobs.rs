//! The jobs of the reference store, and what a step does to them.

use super::{
    reference_limits::{FreeSlots, ReferenceLimits},
    reference_pauses::ReferencePauses,
};
use crate::twin::Twin;
use queue_core::{
    AnswerRoom, Applied, ClaimRequest, ClaimedJob, Counts, EndSignal, Enqueued, JobId, JobMeta, Moment,
    NewJob, QueueName, Seq, Signalling, State, Timestamp,
    lifecycle::{Transition, look, raise, receive},
};
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// In the order of their lives.
    pub(super) list: Vec<Twin>,
    pub(super) pauses: ReferencePauses,
    pub(super) limits: ReferenceLimits,
    /// Queues that ever had a job, or were paused or resumed.
    pub(super) queues: BTreeSet<QueueName>,
    last_seq: u64,
    pub(super) mark: Timestamp,
}

impl Jobs {
    pub(super) fn of<'a>(&'a self, queue: &'a QueueName) -> impl Iterator<Item = &'a JobMeta> {
        self.list.iter().map(|twin| &twin.job.meta).filter(move |meta| meta.queue == *queue)
    }

    pub(super) fn counts(&self, queue: &QueueName, moment: Moment) -> Counts {
        let (now, mut counts) = (moment.now, Counts::empty(moment));
        for state in State::ALL {
            counts.set(state, self.of(queue).filter(|meta| meta.state == state).count() as u64);
        }
        counts.scheduled = self.of(queue).filter(|meta| meta.is_scheduled(now)).count() as u64;
        counts.gated = self.of(queue).filter(|meta| meta.is_gated(now)).count() as u64;
        counts.oldest_due = self.of(queue).filter(|meta| meta.is_due(now)).map(|meta| meta.run_at).min();
        counts
    }

    pub(super) fn find(&mut self, queue: &QueueName, id: &JobId) -> Option<&mut Twin> {
        self.list.iter_mut().find(|twin| twin.job.meta.queue == *queue && twin.job.meta.id == *id)
    }

    /// `holder` is the job whose own step the new job follows.
    pub(super) fn enqueue(
        &mut self,
        queue: &QueueName,
        mut new: NewJob,
        holder: Option<Seq>,
        now: Timestamp,
    ) -> Enqueued {
        let seq = Seq::new(self.last_seq + 1);
        let has_signals = !new.end_signals.is_empty();
        let is_free = self.find(queue, &new.id).is_none_or(|twin| twin.makes_room(&new, now));
        if has_signals && is_free && !self.raise(queue, &mut new.end_signals, holder, now) {
            return Enqueued::Orphaned;
        }
        let new = &new;
        let answer = if let Some(twin) = self.find(queue, &new.id) {
            twin.enqueue(new, seq, now)
        } else {
            self.queues.insert(queue.clone());
            self.list.push(Twin::begin(queue.clone(), new, seq, now));
            Enqueued::Queued { seq }
        };
        self.last_seq += u64::from(answer.is_new());
        if has_signals && let Some(twin) = self.find_life(queue, seq) {
            twin.job.meta.signalling = Signalling::owing(new.end_signals.len());
        }
        self.list.sort_by_key(|twin| twin.job.meta.seq);
        answer
    }

    pub(super) fn apply(&mut self, transition: &Transition, now: Timestamp) -> Applied {
        let Some(twin) = self.find(&transition.queue, &transition.id) else { return Applied::Missing };
        let before = twin.job.meta.revision;
        let answer = twin.apply(transition, now);
        let has_changed = twin.job.meta.revision > before;
        let is_unfinished = !twin.job.meta.state.is_terminal();
        let followers = std::mem::take(&mut twin.followers);
        let signals = twin.end_signals().to_vec();
        self.list.retain(|twin| twin.meta(now).is_some());
        for new in followers {
            self.enqueue(&transition.queue, new, is_unfinished.then_some(transition.seq), now);
        }
        match answer {
            Applied::Done(meta) if has_changed => self.signal(transition, meta, &signals, now),
            answer => answer,
        }
    }

    /// Looks at the gate of a job that changed, and sends its end signals.
    fn signal(
        &mut self,
        transition: &Transition,
        mut meta: JobMeta,
        signals: &[EndSignal],
        now: Timestamp,
    ) -> Applied {
        if let Some(twin) = self.find_life(&transition.queue, transition.seq) {
            look(&mut twin.job.meta, &transition.patch, now);
            meta = twin.job.meta.clone();
        }
        let outcome = transition.signal.map(|signal| signal.outcome);
        for signal in signals {
            let target = signal.life.and_then(|life| self.find_life(&transition.queue, life));
            if let (Some(twin), Some(outcome)) = (target, outcome) {
                receive(&mut twin.job.meta, signal, outcome, now);
            }
        }
        Applied::Done(meta)
    }

    /// Raises the targets of a new job, if each that is to be raised takes it; other signals that
    /// no job would count are left out.
    fn raise(
        &mut self,
        queue: &QueueName,
        signals: &mut Vec<EndSignal>,
        holder: Option<Seq>,
        now: Timestamp,
    ) -> bool {
        for signal in &mut *signals {
            let target = self.find(queue, &signal.to).map(|twin| &twin.job.meta);
            let takes = |meta: &&JobMeta| raise(&mut (*meta).clone(), holder == Some(meta.seq), now);
            let is_named = |meta: &&JobMeta| signal.life.is_none_or(|life| life == meta.seq);
            signal.life = target.filter(is_named).filter(takes).map(|meta| meta.seq);
        }
        if signals.iter().any(|signal| signal.raises && signal.life.is_none()) {
            return false;
        }
        signals.retain(|signal| signal.life.is_some());
        for life in signals.iter().filter(|signal| signal.raises).filter_map(|signal| signal.life) {
            self.find_life(queue, life).map(|twin| raise(&mut twin.job.meta, holder == Some(life), now));
        }
        true
    }

    fn find_life(&mut self, queue: &QueueName, life: Seq) -> Option<&mut Twin> {
        self.list.iter_mut().find(|twin| twin.job.meta.queue == *queue && twin.job.meta.seq == life)
    }

    /// The slots of the partitions of a queue that are free.
    pub(super) fn slots(&self, queue: &QueueName) -> FreeSlots {
        let leased = self.of(queue).filter(|meta| meta.lease.is_some());
        self.limits.free(queue, leased.filter_map(|meta| meta.partition.as_ref()))
    }

    pub(super) fn claim(&mut self, request: &ClaimRequest, now: Timestamp) -> Vec<ClaimedJob> {
        let queue = &request.queue;
        let (_, paused) = self.pauses.at(queue, now);
        let mut slots = self.slots(queue);
        let is_open = |meta: &JobMeta| paused.iter().all(|paused| paused.kind != meta.kind);
        let is_due = |meta: &JobMeta| meta.queue == *queue && meta.is_due(now) && is_open(meta);
        let mut due: Vec<&mut Twin> = self.list.iter_mut().filter(|twin| is_due(&twin.job.meta)).collect();
        due.sort_by_key(|twin| (twin.job.meta.priority, twin.job.meta.run_at, twin.job.meta.seq));
        let lease = |twin: &mut Twin| {
            twin.lease(request, now);
            ClaimedJob { record: twin.record(now).expect("a leased job is there"), token: request.token }
        };
        due.retain(|twin| slots.take(twin.job.meta.partition.as_ref()));
        let mut room = AnswerRoom::new(request.bytes_max);
        let fits = |twin: &&mut Twin| room.takes(twin.payload_len());
        due.into_iter().take(request.limit_at(now)).take_while(fits).map(lease).collect()
    }
}
