//! The record that a store should hold, computed with the lifecycle.

use queue_core::{
    Applied, Attempt, ClaimRequest, EndSignal, Enqueued, JobAttempts, JobBody, JobMeta, JobRecord, NewJob,
    QueueName, Seq, Timestamp,
    lifecycle::{self, Admission, TrackedJob, Transition, Verdict, admit},
};

/// The expected record: the job as the lifecycle leaves it, and its body.
#[derive(Clone, Debug)]
pub(crate) struct Twin {
    pub(crate) job: TrackedJob,
    body: JobBody,
    removed: bool,
    attempts: Vec<Attempt>,
    /// The jobs that its completion enqueued.
    pub(crate) followers: Vec<NewJob>,
}

impl Twin {
    /// The beginning of a life.
    pub(crate) fn begin(queue: QueueName, new: &NewJob, seq: Seq, now: Timestamp) -> Self {
        Self::of(JobMeta::begin(queue, new, seq, now), new)
    }

    fn of(meta: JobMeta, new: &NewJob) -> Self {
        let job = TrackedJob::new(meta);
        let body = JobBody::begin(new.clone());
        Self { job, body, removed: false, attempts: Vec::new(), followers: Vec::new() }
    }

    /// The metadata, while the record exists.
    pub(crate) fn meta(&self, now: Timestamp) -> Option<&JobMeta> {
        Some(&self.job.meta).filter(|meta| !self.removed && !meta.is_purged(now))
    }

    /// The whole record, while it exists.
    pub(crate) fn record(&self, now: Timestamp) -> Option<JobRecord> {
        let meta = self.meta(now)?.clone();
        Some(JobRecord { meta, body: Some(self.body.clone()) })
    }

    /// The charged attempts, while the record exists.
    pub(crate) fn attempts(&self, now: Timestamp) -> Option<JobAttempts> {
        let meta = self.meta(now)?.clone();
        Some(JobAttempts { meta, attempts: self.attempts.clone() })
    }

    /// The bytes that it takes of a claim's answer.
    pub(crate) fn payload_len(&self) -> usize {
        self.body.payload.bytes.len()
    }

    /// What its end sends.
    pub(crate) fn end_signals(&self) -> &[EndSignal] {
        &self.body.end_signals
    }

    /// Whether a new job of its id would begin a life.
    pub(crate) fn makes_room(&self, new: &NewJob, now: Timestamp) -> bool {
        let present = Some(&self.job.meta).filter(|_| !self.removed);
        admit(present, new, now) != Admission::Duplicate
    }

    /// The expected answer to a transition; afterwards the twin is as the record should be.
    pub(crate) fn apply(&mut self, transition: &Transition, now: Timestamp) -> Applied {
        if self.removed {
            return Applied::Missing;
        }
        let verdict = lifecycle::apply(&mut self.job, transition, now);
        let meta = self.job.meta.clone();
        match verdict {
            Verdict::Written { body, attempt } => {
                body.apply_to(&mut self.body);
                if let Some(attempt) = attempt {
                    Attempt::push(&mut self.attempts, *attempt);
                }
            }
            Verdict::Removed => self.removed = true,
            Verdict::Replayed => return Applied::Done(meta),
            Verdict::LeaseLost => return Applied::LeaseLost(meta),
            Verdict::Stale => return Applied::Stale(meta),
            Verdict::Missing => return Applied::Missing,
        }
        self.followers.extend(transition.then.iter().cloned());
        Applied::Done(meta)
    }

    /// Applies the lease of a claim.
    pub(crate) fn lease(&mut self, request: &ClaimRequest, now: Timestamp) {
        lifecycle::lease(&mut self.job, request, now);
    }

    /// The expected answer to an enqueue of its id; `seq` is the number of the life that begins if
    /// one does.
    pub(crate) fn enqueue(&mut self, new: &NewJob, seq: Seq, now: Timestamp) -> Enqueued {
        if self.makes_room(new, now) {
            let present = Some(&self.job.meta).filter(|_| !self.removed);
            *self = match present {
                Some(present) => Self::of(JobMeta::replacing(present, new, seq, now), new),
                None => Self::begin(self.job.meta.queue.clone(), new, seq, now),
            };
            return Enqueued::Queued { seq };
        }
        let meta = &self.job.meta;
        match &self.body.result {
            Some(result) => Enqueued::Completed { seq: meta.seq, result: Some(result.clone()) },
            None => Enqueued::Duplicate { seq: meta.seq, state: meta.state },
        }
    }
}
