//! All of a job as JSON: its metadata with what holds it up and its attempts, and what it carries.

use super::{
    ErrorView, JobBodyView, JobReading, JobView, PauseView, SlotWait, SlotWaitView, attempt_number::numbered,
};
use queue_core::Attempt;
use serde::Serialize;

/// A job with the pauses for which it waits, and its last attempts that failed or stalled.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = JobAnswer))]
pub struct JobDetails<'a> {
    /// When it was read, by store time.
    now_ms: i64,
    #[serde(flatten)]
    job: JobView<'a>,
    /// What is paused, of a job that waits: its queue, its kind, or both.
    pauses: Vec<PauseView>,
    /// Only of a due job that waits for a slot, since the leases of its partition have reached its
    /// limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for_slot: Option<SlotWaitView>,
    /// The last ten, the oldest first; absent where the store keeps none.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt_log: Option<Vec<AttemptView<'a>>>,
}

/// All of a job, for a reader who may see payloads.
#[derive(Clone, Debug, Serialize)]
pub struct WholeJob<'a> {
    #[serde(flatten)]
    details: JobDetails<'a>,
    #[serde(flatten)]
    body: JobBodyView<'a>,
}

/// An attempt that failed or stalled.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Attempt))]
pub struct AttemptView<'a> {
    /// Which attempt it was, as `attempts_made` counts them; `null` of an attempt before the last
    /// redrive, after which the count begins at one again.
    attempt: Option<u32>,
    /// Which claim of the job it was. Claims that were given back uncharged count too.
    epoch: u64,
    worker: &'a str,
    claimed_at_ms: i64,
    ended_at_ms: i64,
    /// `failed` or `stalled`.
    outcome: &'static str,
    error: ErrorView<'a>,
}

impl<'a> JobDetails<'a> {
    /// The job of a reading, without what it carries.
    pub fn of(reading: &'a JobReading) -> Self {
        Self {
            now_ms: reading.now.as_millis(),
            job: JobView::of(&reading.meta, reading.now),
            pauses: reading.pauses.views().collect(),
            waits_for_slot: reading.slot_wait.as_ref().map(SlotWait::view),
            attempt_log: reading.attempts.as_ref().map(|_| numbered(reading).map(AttemptView::of).collect()),
        }
    }
}

impl<'a> WholeJob<'a> {
    /// The job of a reading; `None` if its body was not read.
    pub fn of(reading: &'a JobReading) -> Option<Self> {
        let body = JobBodyView::of(&reading.meta, reading.body.as_ref()?);
        Some(Self { details: JobDetails::of(reading), body })
    }
}

impl<'a> AttemptView<'a> {
    fn of((number, attempt): (Option<u32>, &'a Attempt)) -> Self {
        Self {
            attempt: number,
            epoch: attempt.epoch,
            worker: attempt.worker.as_str(),
            claimed_at_ms: attempt.claimed_at.as_millis(),
            ended_at_ms: attempt.ended_at.as_millis(),
            outcome: attempt.outcome.as_str(),
            error: attempt.into(),
        }
    }
}
