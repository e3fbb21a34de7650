//! A schedule as an answer shows it.

use crate::{
    problem::Result,
    wire::{KeepOut, ShownData},
};
use queue::UnreadableJob;
use queue::schedules::{Missed, Overlap, ScheduleSpec, ScheduleStatus, Tick, Timing};
use queue_core::{JobId, NewJob, Payload, Span, Timestamp};
use queue_view::BudgetView;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How many of the next ticks are shown.
const NEXT: usize = 5;

/// The schedules of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SchedulesAnswer)]
pub(crate) struct SchedulesOut {
    pub(super) schedules: Vec<ScheduleOut>,
    /// Those that this service cannot read, and another program may: a newer version wrote them, or
    /// their time zone is not known here. They can be paused and removed.
    pub(super) unreadable: Vec<UnreadableScheduleOut>,
}

/// A schedule that this service cannot read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnreadableSchedule)]
pub(crate) struct UnreadableScheduleOut {
    schedule: String,
    /// Why not.
    error: String,
}

impl UnreadableScheduleOut {
    pub(super) fn of(unreadable: &UnreadableJob) -> Self {
        Self { schedule: unreadable.name().to_owned(), error: unreadable.error().message().to_owned() }
    }
}

/// A schedule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Schedule)]
pub(crate) struct ScheduleOut {
    schedule: String,
    /// When it fires, in words.
    fires: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cron: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<String>>,
    /// `on`, `paused` or `failed`.
    state: &'static str,
    /// The kind of the jobs that it enqueues.
    kind: String,
    /// `skip`, `latest` or `all`.
    missed: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    grace_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_up: Option<usize>,
    /// `allow`, `skip` or `cancel`.
    overlap: &'static str,
    jitter_ms: i64,
    spread_ms: i64,
    /// Declared by a program, and not made by hand.
    declared: bool,
    /// The next ticks, in UTC.
    next: Vec<String>,
    last_run: Option<String>,
    /// Why it is failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The job of each tick; only in the answer about one schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobOut>,
}

/// The job of each tick, in the words in which it is put.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScheduledJobShown)]
pub(crate) struct JobOut {
    kind: String,
    /// Only for a token with the scope `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    payload: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    /// Only for a token with the scope `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, String>>,
    tags: Vec<String>,
    priority: i16,
    delay_ms: i64,
    expires_in_ms: Option<i64>,
    time_limit_ms: Option<i64>,
    max_attempts: BudgetView,
    max_stalls: BudgetView,
    keep_completed: KeepOut,
    keep_failed: KeepOut,
    on_failure: Option<String>,
}

impl ScheduleOut {
    /// A schedule without its job, as listings have it.
    pub(super) fn of(status: &ScheduleStatus) -> Self {
        let spec = status.spec();
        let (missed, grace_ms, catch_up) = missed(spec.missed);
        let shown = Self {
            schedule: status.name().to_owned(),
            fires: spec.timing.to_string(),
            cron: None,
            zone: None,
            every_ms: None,
            at: None,
            state: state(status),
            kind: spec.job.kind().to_owned(),
            missed,
            grace_ms,
            catch_up,
            overlap: overlap(spec.overlap),
            jitter_ms: spec.jitter.as_millis(),
            spread_ms: spec.spread.as_millis(),
            declared: spec.declared,
            next: status.next(NEXT).iter().map(Tick::to_string).collect(),
            last_run: status.last_run().map(|tick| tick.to_string()),
            error: status.meta().last_error.as_ref().filter(|_| status.is_failed()).map(ToString::to_string),
            job: None,
        };
        shown.firing(&spec.timing)
    }

    /// A schedule with its job.
    pub(super) fn whole(status: &ScheduleStatus, with_payload: bool) -> Result<Self> {
        let job = JobOut::of(status.spec(), with_payload)?;
        Ok(Self { job: Some(job), ..Self::of(status) })
    }

    fn firing(self, timing: &Timing) -> Self {
        match timing {
            Timing::Cron { pattern, zone } => {
                Self { cron: Some(pattern.as_str().to_owned()), zone: Some(zone.name().to_owned()), ..self }
            }
            Timing::Every { period, .. } => Self { every_ms: Some(period.as_millis()), ..self },
            Timing::At(moments) => {
                let at = moments.as_slice().iter().map(|moment| Tick::from(*moment).to_string());
                Self { at: Some(at.collect()), ..self }
            }
            _ => self,
        }
    }
}

impl JobOut {
    fn of(spec: &ScheduleSpec, with_payload: bool) -> Result<Self> {
        let template = spec.job.job(JobId::from_static("tick"), Timestamp::default(), Span::ZERO);
        let job = template.map_err(queue_core::Error::from)?;
        let (payload, payload_base64, content_type) =
            if with_payload { payload(spec, &job) } else { (None, None, None) };
        Ok(Self {
            kind: job.kind.to_string(),
            payload,
            payload_base64,
            content_type,
            headers: with_payload.then(|| headers(&job)),
            tags: job.tags.iter().map(ToString::to_string).collect(),
            priority: job.priority,
            delay_ms: job.delay.as_millis(),
            expires_in_ms: job.expires_in.map(Span::as_millis),
            time_limit_ms: job.time_limit.map(Span::as_millis),
            max_attempts: job.max_attempts.into(),
            max_stalls: job.max_stalls.into(),
            keep_completed: job.retention.completed.into(),
            keep_failed: job.retention.failed.into(),
            on_failure: job.on_failure.map(|kind| kind.to_string()),
        })
    }
}

fn headers(job: &NewJob) -> BTreeMap<String, String> {
    job.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

type ShownPayload = (Option<Box<RawValue>>, Option<String>, Option<String>);

/// The payload with the place of the tick in it.
fn payload(spec: &ScheduleSpec, job: &NewJob) -> ShownPayload {
    let content_type = job.payload.content_type.clone();
    let stored = if content_type.as_str() == "application/json" {
        Payload::new(spec.job.payload_shown().into_owned(), content_type)
    } else {
        job.payload.clone()
    };
    let shown = ShownData::of(&stored);
    (shown.json.map(ToOwned::to_owned), shown.base64, shown.content_type.map(ToOwned::to_owned))
}

fn state(status: &ScheduleStatus) -> &'static str {
    match (status.is_failed(), status.is_paused()) {
        (true, _) => "failed",
        (false, true) => "paused",
        (false, false) => "on",
    }
}

fn missed(missed: Missed) -> (&'static str, Option<i64>, Option<usize>) {
    match missed {
        Missed::Skip { grace } => ("skip", grace.map(Span::as_millis), None),
        Missed::Latest => ("latest", None, None),
        Missed::All { max } => ("all", None, Some(max)),
        _ => ("unknown", None, None),
    }
}

fn overlap(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Allow => "allow",
        Overlap::Skip => "skip",
        Overlap::CancelPrevious => "cancel",
        _ => "unknown",
    }
}
