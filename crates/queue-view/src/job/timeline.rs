//! What happened to a job, in order, and what comes next.

use super::{
    JobReading,
    attempt_number::{charged, numbered},
};
use crate::words::plural;
use queue_core::{ATTEMPTS_MAX, Attempt, AttemptOutcome, JobMeta, State, Timestamp};
use std::time::Duration;

/// A step in the life of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// What happened.
    pub step: JobStep,
    /// When: an attempt began, or the job falls due. `None` of attempts that are not kept.
    pub at: Option<Timestamp>,
    /// How long it took, or has taken.
    pub took: Option<Duration>,
    /// The worker of an attempt.
    pub worker: Option<String>,
    /// The error of an attempt.
    pub error: Option<String>,
}

/// What happened to a job, or will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobStep {
    /// It was enqueued.
    Enqueued,
    /// Earlier attempts, which the store does not keep.
    NotKept(u64),
    /// The attempt of this number failed; `None` of an attempt before the last redrive, which
    /// counts from one again.
    AttemptFailed(Option<u32>),
    /// The lease of an attempt lapsed; the number is as in [`AttemptFailed`](Self::AttemptFailed).
    AttemptStalled(Option<u32>),
    /// The attempt of this number runs.
    Running(u32),
    /// It waits.
    Waiting(Waiting),
    /// The attempt of this number completed it.
    Completed(u32),
    /// It was given up.
    Failed,
    /// It was cancelled, or expired.
    Cancelled,
}

/// For what a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Waiting {
    /// For a worker.
    Due,
    /// For a slot of its partition; its due time has come.
    DueFull,
    /// For the end of a pause; its due time has come.
    DuePaused,
    /// For the ends of other jobs, behind a closed gate.
    Gated,
    /// For its due time.
    Scheduled,
    /// For its due time, and after it for the end of a pause that is on now.
    ScheduledPaused,
}

impl JobStep {
    /// The step in words.
    pub fn words(self) -> String {
        match self {
            Self::Enqueued => "enqueued".to_owned(),
            Self::NotKept(count) => {
                let one = "earlier attempt is";
                let many = "earlier attempts are";
                format!("{} not kept: only the last {ATTEMPTS_MAX} are", plural(count, one, many))
            }
            Self::AttemptFailed(number) => format!("{} failed", attempt_words(number)),
            Self::AttemptStalled(number) => {
                format!("{} stalled: its worker died or was cut off", attempt_words(number))
            }
            Self::Running(number) => format!("attempt {number} runs"),
            Self::Waiting(waiting) => waiting.words().to_owned(),
            Self::Completed(number) => format!("attempt {number} completed"),
            Self::Failed => "failed for good".to_owned(),
            Self::Cancelled => "cancelled".to_owned(),
        }
    }
}

fn attempt_words(number: Option<u32>) -> String {
    number.map_or_else(|| "an attempt before the redrive".to_owned(), |number| format!("attempt {number}"))
}

impl Waiting {
    const fn words(self) -> &'static str {
        match self {
            Self::Due => "due: waits for a worker",
            Self::DueFull => "due, but its partition is full",
            Self::DuePaused => "due, but paused",
            Self::Gated => "waits behind a gate at most until then",
            Self::Scheduled => "due, then a worker may take it",
            Self::ScheduledPaused => "due, but paused now",
        }
    }
}

/// The steps that a store knows, the oldest first.
pub(super) fn timeline(reading: &JobReading) -> Vec<TimelineEntry> {
    let JobReading { meta, attempts, .. } = reading;
    let mut entries = vec![entry(JobStep::Enqueued, Some(meta.created_at))];
    // A store keeps the last ten; fewer are all that there were since the life began.
    let known = attempts.as_ref().map_or(0, Vec::len);
    let lost = u64::from(charged(meta)).saturating_sub(known as u64);
    if known == ATTEMPTS_MAX && lost > 0 {
        entries.push(entry(JobStep::NotKept(lost), None));
    }
    entries.extend(numbered(reading).map(|(number, attempt)| charged_attempt(number, attempt)));
    entries.push(last(reading));
    entries
}

fn charged_attempt(number: Option<u32>, attempt: &Attempt) -> TimelineEntry {
    let step = match attempt.outcome {
        AttemptOutcome::Failed => JobStep::AttemptFailed(number),
        AttemptOutcome::Stalled => JobStep::AttemptStalled(number),
    };
    TimelineEntry {
        took: Some(attempt.ended_at.since(attempt.claimed_at)),
        worker: Some(attempt.worker.to_string()),
        error: Some(format!("{}: {}", attempt.error_name, attempt.error_message)),
        ..entry(step, Some(attempt.claimed_at))
    }
}

/// The last step, about anything but a charged attempt: one that runs or succeeded, the end, or the
/// wait for the next attempt.
fn last(JobReading { meta, now, pauses, slot_wait, .. }: &JobReading) -> TimelineEntry {
    let took = meta.run_time(*now);
    match meta.state {
        State::Processing => TimelineEntry {
            took,
            worker: meta.lease.as_ref().map(|lease| lease.worker.to_string()),
            ..entry(JobStep::Running(meta.attempts_made()), meta.claimed_at)
        },
        State::Completed => {
            TimelineEntry { took, ..entry(JobStep::Completed(meta.attempts_made()), meta.claimed_at) }
        }
        State::Failed => entry(JobStep::Failed, meta.finished_at),
        State::Cancelled => entry(JobStep::Cancelled, meta.finished_at),
        State::Queued | State::Failing => {
            let step = JobStep::Waiting(waiting(meta, *now, pauses.are_on(), slot_wait.is_some()));
            TimelineEntry { took: meta.wait_time(*now), ..entry(step, Some(meta.run_at)) }
        }
    }
}

fn waiting(job: &JobMeta, now: Timestamp, is_paused: bool, is_full: bool) -> Waiting {
    match (job.is_due(now), is_paused) {
        _ if job.is_gated(now) => Waiting::Gated,
        (true, false) if is_full => Waiting::DueFull,
        (true, false) => Waiting::Due,
        (true, true) => Waiting::DuePaused,
        (false, false) => Waiting::Scheduled,
        (false, true) => Waiting::ScheduledPaused,
    }
}

fn entry(step: JobStep, at: Option<Timestamp>) -> TimelineEntry {
    TimelineEntry { step, at, took: None, worker: None, error: None }
}
