//! The attempts of a job that failed or stalled, as stores keep them.

use super::failure::beginning;
use crate::{Error, Failure, JobId, JobMeta, Result, Timestamp, WorkerId, lifecycle::Patch};

/// Most attempts that a store keeps of one life.
pub const ATTEMPTS_MAX: usize = 10;
/// Longest message of an attempt, in bytes.
pub const ATTEMPT_MESSAGE_BYTES_MAX: usize = 256;

/// An attempt that was charged to a job, as a failure or as a stall. An attempt that completed its
/// job, or gave it back, is not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which claim of the life it was.
    pub epoch: u64,
    /// The worker that held the job.
    pub worker: WorkerId,
    /// When it was claimed.
    pub claimed_at: Timestamp,
    /// When the failure was reported, or the lapse of the lease was noticed, by the store's clock.
    pub ended_at: Timestamp,
    /// What was charged.
    pub outcome: AttemptOutcome,
    /// The name of the error, as in [`Failure::name`].
    pub error_name: String,
    /// The beginning of the error's message: at most [`ATTEMPT_MESSAGE_BYTES_MAX`] bytes, whole
    /// characters.
    pub error_message: String,
}

/// What an attempt was charged as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptOutcome {
    /// Its handler failed.
    Failed,
    /// Its lease lapsed.
    Stalled,
}

impl AttemptOutcome {
    /// Every outcome, in the order of the numbers that stores write.
    pub const ALL: [Self; 2] = [Self::Failed, Self::Stalled];

    /// The stable number that stores write.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The outcome of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Stalled => "stalled",
        }
    }
}

impl Attempt {
    /// The attempt that a patch charges by ending the lease of `job`; `None` if it charges none.
    pub fn charged(job: &JobMeta, patch: &Patch, now: Timestamp) -> Option<Self> {
        let (error, stalls) = match patch {
            Patch::Requeue(requeue) => (requeue.error.as_ref()?, requeue.stalls),
            Patch::Finish(finish) => (finish.error.as_ref()?, finish.stalls),
            Patch::Remove
            | Patch::Extend { .. }
            | Patch::Flag(_)
            | Patch::Retain(_)
            | Patch::Amend(_)
            | Patch::Seal => {
                return None;
            }
        };
        let lease = job.lease.as_ref()?;
        let outcome = if stalls > job.stalls { AttemptOutcome::Stalled } else { AttemptOutcome::Failed };
        Some(Self {
            epoch: job.epoch,
            worker: lease.worker.clone(),
            claimed_at: job.claimed_at.unwrap_or(now),
            ended_at: now,
            outcome,
            error_name: error.name().to_owned(),
            error_message: Self::excerpt(error).to_owned(),
        })
    }

    /// The beginning of an error's message, as an attempt keeps it.
    pub fn excerpt(error: &Failure) -> &str {
        beginning(error.message(), ATTEMPT_MESSAGE_BYTES_MAX)
    }

    /// Adds an attempt to those that a store keeps of a life, in order, and removes the oldest if
    /// there are more than [`ATTEMPTS_MAX`].
    pub fn push(attempts: &mut Vec<Self>, attempt: Self) {
        if attempts.len() == ATTEMPTS_MAX {
            attempts.remove(0);
        }
        attempts.push(attempt);
    }
}

/// A job and the attempts that were charged to it, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobAttempts {
    /// The job.
    pub meta: JobMeta,
    /// The last attempts, at most [`ATTEMPTS_MAX`], the oldest first. A redrive keeps them, since
    /// the life is the same.
    pub attempts: Vec<Attempt>,
}

impl JobAttempts {
    /// The most jobs of one read. With at most [`ATTEMPTS_MAX`] attempts each, this bounds the
    /// answer to some megabytes.
    pub const IDS_MAX: usize = 1_000;

    /// Checks the ids of one read, for stores.
    ///
    /// # Errors
    /// `Invalid` for more than [`IDS_MAX`](Self::IDS_MAX) of them.
    pub fn check(ids: &[JobId]) -> Result<()> {
        let (count, most) = (ids.len(), Self::IDS_MAX);
        if count <= most {
            return Ok(());
        }
        let message =
            format!("the attempts of at most {most} jobs fit one call, not of {count}; send several");
        Err(Error::invalid("attempts", message))
    }
}
