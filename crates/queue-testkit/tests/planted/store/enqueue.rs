//! Enqueueing and replacing, and their defects.

use super::{
    LIMITS,
    record::{Lane, Record},
    state::State,
};
use crate::defect::Defect;
use queue_core::{
    Enqueued, JobId, JobMeta, NewJob, NewerTerms, OnWaiting, Payload, QueueName, Result, Seq, Signalling,
    State as JobState, Timestamp,
    lifecycle::{Admission, TrackedJob, admit},
};
use std::collections::HashSet;

impl State {
    /// The ids of these groups that no job holds.
    pub(super) fn free_ids(&self, queue: &QueueName, groups: &[Vec<NewJob>]) -> HashSet<JobId> {
        let free = |new: &&NewJob| self.admission(queue, new) == (Admission::Insert, None);
        groups.iter().flatten().filter(free).map(|new| new.id.clone()).collect()
    }

    /// Stores jobs, and relies on the caller for ids that were free a moment ago.
    pub(super) fn enqueue(
        &mut self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
        mut free: HashSet<JobId>,
    ) -> Result<Vec<Vec<Enqueued>>> {
        groups.into_iter().map(|group| self.enqueue_group(queue, group, &mut free)).collect()
    }

    fn enqueue_group(
        &mut self,
        queue: &QueueName,
        group: Vec<NewJob>,
        free: &mut HashSet<JobId>,
    ) -> Result<Vec<Enqueued>> {
        let mut answers: Vec<Enqueued> = Vec::with_capacity(group.len());
        for new in group {
            if self.has(Defect::CheckedWhileStored) {
                LIMITS().check_enqueue(&[vec![new.clone()]])?;
            }
            let is_cut =
                self.has(Defect::GroupCutAtDuplicate) && answers.iter().any(|answer| !answer.is_new());
            let dropped = answers.last().filter(|_| is_cut).cloned();
            answers.push(dropped.unwrap_or_else(|| self.enqueue_one(queue, new, None, free)));
        }
        Ok(answers)
    }

    pub(super) fn enqueue_one(
        &mut self,
        queue: &QueueName,
        mut new: NewJob,
        holder: Option<Seq>,
        free: &mut HashSet<JobId>,
    ) -> Enqueued {
        if self.has(Defect::ExpiryForgotten) {
            new.expires_in = None;
        }
        if self.has(Defect::OnFailureForgotten) {
            new.terms.on_failure = None;
        }
        if self.has(Defect::NewerTermsForgotten) {
            new.terms.newer = NewerTerms::NONE;
        }
        let mut replaced = None;
        if !free.remove(&new.id) {
            match self.admission(queue, &new) {
                (Admission::Duplicate, Some(taken)) => {
                    if self.has(Defect::DuplicateRaises) {
                        self.raise_by_duplicate(queue, &new);
                    }
                    return taken;
                }
                (Admission::Replace, taken) => replaced = taken.and_then(|taken| taken.seq()),
                _ => {}
            }
        }
        let has_signals = !new.end_signals.is_empty();
        if has_signals && !self.raise(queue, &mut new, holder) {
            return Enqueued::Orphaned;
        }
        let former = replaced.and_then(|seq| self.make_room(queue, seq));
        let seq = self.next_seq();
        let (headers, id) = (new.headers.clone(), new.id.clone());
        let meta = match former {
            Some(former) => self.replacing(&former, &new, seq),
            None => JobMeta::begin(queue.clone(), &new, seq, self.now),
        };
        let signalling =
            if has_signals { Signalling::owing(new.end_signals.len()) } else { Signalling::None };
        let meta = JobMeta { signalling, ..meta };
        let end_signals = new.end_signals;
        let payload = self.stored(new.payload);
        let attempts = self.lane(queue).former_attempts.remove(&id).unwrap_or_default();
        let (job, result, error_details) = (TrackedJob::new(meta), None, None);
        let payload_bytes = payload.bytes.len();
        self.insert(Record {
            job,
            payload,
            payload_bytes,
            result,
            error_details,
            headers,
            attempts,
            end_signals,
        });
        Enqueued::Queued { seq }
    }

    /// Ends the lives that the jobs replace, ahead of them.
    pub(super) fn make_room_for(&mut self, queue: &QueueName, groups: &[Vec<NewJob>]) {
        for new in groups.iter().flatten() {
            let replaced = self.admission(queue, new);
            if let (Admission::Replace, Some(seq)) = (replaced.0, replaced.1.and_then(|taken| taken.seq())) {
                self.make_room(queue, seq);
            }
        }
    }

    /// Ends the life that holds an id, and returns its last record.
    fn make_room(&mut self, queue: &QueueName, seq: Seq) -> Option<JobMeta> {
        let former = self.lane(queue).records.get(&seq)?.job.meta.clone();
        let is_waiting = former.state.is_waiting() && !former.is_expired(self.now);
        if !(is_waiting && self.has(Defect::ReplacedStays)) {
            let before = self.notices.clone();
            self.remove(queue, seq);
            if is_waiting && self.has(Defect::ReplacedQuietly) {
                self.notices = before;
            }
        }
        Some(former)
    }

    fn replacing(&self, former: &JobMeta, new: &NewJob, seq: Seq) -> JobMeta {
        let mut new = new.clone();
        if let (true, OnWaiting::Replace { max_wait }) =
            (self.has(Defect::MaxWaitIgnored), &mut new.on_waiting)
        {
            *max_wait = None;
        }
        let mut meta = JobMeta::replacing(former, &new, seq, self.now);
        if self.has(Defect::TagsOfFormerLife) {
            meta.tags = former.tags.clone();
        }
        if self.has(Defect::TermsOfFormerLife) {
            meta.terms = former.terms.clone();
        }
        if self.has(Defect::FirstTimeForgotten) {
            return JobMeta { created_at: self.now, ..meta };
        }
        meta
    }

    /// The admission of an id, and the record that is in its way.
    fn admission(&self, queue: &QueueName, new: &NewJob) -> (Admission, Option<Enqueued>) {
        let Some(present) = self.holder(queue, &new.id) else { return (Admission::Insert, None) };
        let mut meta = &present.job.meta;
        let unsignalling;
        if self.has(Defect::SignallerReplaced) {
            unsignalling = JobMeta { signalling: Signalling::None, ..meta.clone() };
            meta = &unsignalling;
        }
        let overdue_counts = self.has(Defect::OverdueBlocksId);
        let now = if overdue_counts { Timestamp::from_millis(i64::MIN) } else { self.now };
        let admission = match admit(Some(meta), new, now) {
            Admission::Replace if self.has(Defect::CancelledBlocksId) && !meta.is_purged(now) => {
                Admission::Duplicate
            }
            Admission::Replace if self.has(Defect::ExpiredBlocksId) && meta.is_expired(now) => {
                Admission::Duplicate
            }
            Admission::Duplicate
                if self.has(Defect::RunningReplaced)
                    && meta.state == JobState::Processing
                    && new.on_waiting != OnWaiting::Block =>
            {
                Admission::Replace
            }
            admission => admission,
        };
        (admission, Some(present.taken()))
    }

    fn holder(&self, queue: &QueueName, id: &JobId) -> Option<&Record> {
        if self.has(Defect::QueuesShareIds) {
            return self.lanes.values().find_map(|lane| lane.by_id(id));
        }
        self.lanes.get(queue).and_then(|lane: &Lane| lane.by_id(id))
    }

    fn stored(&self, payload: Payload) -> Payload {
        if !self.has(Defect::TextPayloads) {
            return payload;
        }
        let text = String::from_utf8_lossy(&payload.bytes).into_owned();
        Payload::new(text, payload.content_type)
    }
}
