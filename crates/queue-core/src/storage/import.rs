//! The request to store whole records as they are, and its answers.

use crate::{
    ATTEMPT_MESSAGE_BYTES_MAX, ATTEMPTS_MAX, Attempt, END_SIGNALS_MAX, Error, ErrorKind, JobBody, JobMeta,
    Limits, NAME_BYTES_MAX, QueueName, Reason, Result, Seq, Signalling, State, Timestamp,
};
use bytes::Bytes;

/// The largest counter, and the latest time, of an imported record: every store can hold it, and go
/// on counting. As a time it is in the year 6429; the earliest is the beginning of 1970.
const NUMBER_MAX: u64 = 1 << 47;
/// The highest [`ImportRequest::after`] of any store.
const AFTER_MAX: u64 = 1 << 60;

/// A request to store records of another store as they are, in one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// The queue of all the jobs.
    pub queue: QueueName,
    /// Every life that the store begins from now on, by this call or another, has a number above
    /// this one. The highest number that the other store gave keeps fences of outside resources
    /// from going back. A store whose numbers do not reach that far refuses it.
    pub after: Seq,
    /// The records, in the order in which their new numbers ascend. It may be empty, to raise the
    /// numbers alone.
    pub jobs: Vec<WholeJob>,
}

/// A job with everything that a store keeps of it and shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeJob {
    /// The metadata. An import ignores the number of the life.
    pub meta: JobMeta,
    /// Payload, headers, result and error details.
    pub body: JobBody,
    /// The attempts that were charged, the oldest first.
    pub attempts: Vec<Attempt>,
}

/// The answer for one record of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// The record is stored.
    Stored {
        /// The life that it has here.
        seq: Seq,
    },
    /// There is a record of this id, the same or another; nothing was changed.
    Taken {
        /// The life that holds the id.
        seq: Seq,
    },
    /// The purge time has passed, so there is nothing to store.
    Purged,
}

impl ImportRequest {
    /// Refuses an import that is too large, or that has a record which no store could have made.
    ///
    /// # Errors
    /// `Invalid`; the message names the job.
    pub fn check(&self, limits: &Limits) -> Result<()> {
        limits.check_batch("import", self.jobs.len())?;
        if self.after.get() > AFTER_MAX {
            return Err(invalid(format!("lives cannot be numbered from {} on", self.after)));
        }
        let bytes: usize = self.jobs.iter().map(WholeJob::large_bytes).sum();
        if bytes > limits.call_bytes_max {
            let most = limits.call_bytes_max;
            return Err(invalid(format!("at most {most} bytes fit one call, not {bytes}; send several")));
        }
        self.jobs.iter().try_for_each(|job| {
            if job.has_gates() && !limits.gates {
                let why = format!(
                    "the job {:?} has a gate or end signals, which this store cannot keep",
                    job.meta.id
                );
                return Err(Error::new(ErrorKind::Unsupported, "import", why));
            }
            if job.meta.partition.is_some() {
                limits.check_partitions("import")?;
            }
            if job.meta.queue != self.queue {
                return Err(invalid(format!("the job {:?} is one of another queue", job.meta.id)));
            }
            job.check(limits)
        })
    }

    /// What the request weighs beside others in one transaction: its jobs and their KiB.
    pub fn weight(&self) -> usize {
        self.jobs.len() + self.jobs.iter().map(WholeJob::large_bytes).sum::<usize>() / 1024
    }
}

impl WholeJob {
    /// The bytes of all parts of variable size.
    pub fn large_bytes(&self) -> usize {
        self.body.len() + self.body.headers.bytes() + self.meta.progress.as_ref().map_or(0, |it| it.len())
    }

    fn has_gates(&self) -> bool {
        self.meta.gate.is_some() || self.meta.signalling != Signalling::None
    }

    /// Refuses a record that is too large, is being processed, or contradicts itself.
    ///
    /// # Errors
    /// `Invalid`; the message names the job.
    pub fn check(&self, limits: &Limits) -> Result<()> {
        let Self { meta, body, .. } = self;
        let refused = |why: String| Err(invalid(format!("the job {:?} {why}", meta.id)));
        let result = body.result.as_ref().map_or(0, |result| result.bytes.len());
        let details = body.error_details.as_ref().map_or(0, Bytes::len);
        let progress = meta.progress.as_ref().map_or(0, |progress| progress.len());
        for (what, bytes, most) in [
            ("payload", body.payload.bytes.len(), limits.payload_bytes_max),
            ("result", result, limits.payload_bytes_max),
            ("error details", details, limits.note_bytes_max),
            ("progress", progress, limits.note_bytes_max),
        ] {
            if bytes > most {
                return refused(format!("has {bytes} bytes of {what}, and this store takes {most}"));
            }
        }
        match self.contradiction() {
            Some(why) => refused(why.to_owned()),
            None => Ok(()),
        }
    }

    /// Why no store could have made this record.
    fn contradiction(&self) -> Option<&'static str> {
        let Self { meta, body, .. } = self;
        let JobMeta { state, epoch, failures, stalls, .. } = *meta;
        let is_sound_reason = match state {
            State::Failed => meta.reason.is_some_and(|reason| reason != Reason::Expired),
            State::Cancelled => meta.reason.is_none_or(|reason| reason == Reason::Expired),
            _ => meta.reason.is_none(),
        };
        let rules = [
            (state != State::Processing && meta.lease.is_none(), "is being processed"),
            (state.is_terminal() == meta.finished_at.is_some(), "has no right time of its end"),
            (state.is_terminal() || meta.purge_at.is_none(), "has a purge time, but is not finished"),
            ((state == State::Completed) == body.result.is_some(), "has a result or none in error"),
            (is_sound_reason, "has a reason that its state does not have"),
            ((epoch > 0) == meta.claimed_at.is_some(), "has a claim without its time, or a time without"),
            (meta.last_error.is_some() == meta.failed_at.is_some(), "has an error without its time"),
            (meta.last_error.is_some() || body.error_details.is_none(), "has details of no error"),
            (state != State::Failing || meta.failed_at.is_some(), "is Failing without an error"),
            (u64::from(failures) + u64::from(stalls) <= epoch, "has more charges than claims"),
            (meta.revision > epoch && meta.revision <= NUMBER_MAX, "has a revision that cannot be"),
            (state.is_terminal() || !self.is_spent(), "has spent its attempts, but is not finished"),
            (epoch <= NUMBER_MAX, "has been claimed too often to be true"),
            (self.times().all(is_sound_time), "has a time that cannot be"),
            (self.has_sound_attempts(), "has attempts that cannot be"),
            (self.has_sound_signals(), "has end signals that cannot be"),
            (self.has_sound_gate(), "has a gate that cannot be"),
        ];
        rules.into_iter().find(|(holds, _)| !holds).map(|(_, why)| why)
    }

    fn is_spent(&self) -> bool {
        let JobMeta { ref terms, failures, stalls, .. } = self.meta;
        terms.max_attempts.is_spent(failures) || terms.max_stalls.is_spent(stalls)
    }

    fn times(&self) -> impl Iterator<Item = Timestamp> {
        let JobMeta { created_at, run_at, claimed_at, failed_at, finished_at, purge_at, .. } = self.meta;
        let of_job = [Some(created_at), Some(run_at), claimed_at, failed_at, finished_at, purge_at];
        let of_attempts = self.attempts.iter().flat_map(|it| [Some(it.claimed_at), Some(it.ended_at)]);
        of_job.into_iter().chain(of_attempts).flatten()
    }

    /// A job that has ended owes none.
    fn has_sound_signals(&self) -> bool {
        let signals = &self.body.end_signals;
        let is_sound = self.meta.signalling.is_sound(signals.len(), self.meta.state);
        is_sound && signals.len() <= END_SIGNALS_MAX && signals.iter().all(|signal| signal.to != self.meta.id)
    }

    fn has_sound_gate(&self) -> bool {
        self.meta
            .gate
            .as_ref()
            .is_none_or(|gate| gate.is_sound(self.meta.epoch) && gate.signals <= NUMBER_MAX)
    }

    /// Each claim charges one attempt at most, so their epochs ascend.
    fn has_sound_attempts(&self) -> bool {
        let epochs = || self.attempts.iter().map(|attempt| attempt.epoch);
        self.attempts.len() <= ATTEMPTS_MAX
            && epochs().zip(epochs().skip(1)).all(|(one, next)| one < next)
            && epochs().all(|epoch| (1..=self.meta.epoch).contains(&epoch))
            && self
                .attempts
                .iter()
                .all(|it| !it.error_name.contains('\0') && !it.error_message.contains('\0'))
            && self.attempts.iter().all(|it| it.error_name.len() <= NAME_BYTES_MAX)
            && self.attempts.iter().all(|it| it.error_message.len() <= ATTEMPT_MESSAGE_BYTES_MAX)
    }
}

impl Imported {
    /// Whether this call stored the record.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::Stored { .. })
    }
}

fn is_sound_time(at: Timestamp) -> bool {
    u64::try_from(at.as_millis()).is_ok_and(|millis| millis <= NUMBER_MAX)
}

fn invalid(message: String) -> Error {
    Error::invalid("import", message)
}
