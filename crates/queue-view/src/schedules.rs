//! A schedule, as JSON.

use crate::{SentData, TermsView};
use queue_core::{NewJob, Span};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A schedule as JSON: `queue schedule ls --json`, `queue schedule show --json` and the calls of
/// `/v1` are this. Ticks are in UTC, as in RFC 3339.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Schedule))]
pub struct ScheduleView {
    /// Its name.
    pub schedule: String,
    /// When it fires, in words.
    pub fires: String,
    /// The pattern, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The zone of the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The time between two ticks, if they are at equal intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<i64>,
    /// The single moments, if it has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<String>>,
    /// `on`, `paused` or `failed`.
    pub state: &'static str,
    /// The kind of the jobs that it enqueues.
    pub kind: String,
    /// `skip`, `latest` or `all`.
    pub missed: &'static str,
    /// With `skip`: how late a tick may be and still run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<i64>,
    /// With `all`: the most ticks that run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<usize>,
    /// `allow`, `skip` or `cancel`.
    pub overlap: &'static str,
    /// Each job is due up to this long after its tick.
    pub jitter_ms: i64,
    /// The whole schedule is handled up to this long after its ticks.
    pub spread_ms: i64,
    /// Declared by a program, and not made by hand.
    pub declared: bool,
    /// The next ticks.
    pub next: Vec<String>,
    /// The last tick that was enqueued.
    pub last_run: Option<String>,
    /// Why it is failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The job of each tick; only where one schedule is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<ScheduledJobView>,
}

/// The job of each tick, in the words in which it is put.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ScheduledJobShown))]
pub struct ScheduledJobView {
    kind: String,
    /// Only for a token with the scope `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<serde_json::Value>))]
    payload: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    /// Only for a token with the scope `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, String>>,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<String>,
    priority: i16,
    delay_ms: i64,
    expires_in_ms: Option<i64>,
    #[serde(flatten)]
    terms: TermsView,
}

/// A schedule that this program cannot read, and another may: a newer version wrote it, or its time
/// zone is not known here. It can be paused and removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = UnreadableSchedule))]
pub struct UnreadableScheduleView {
    /// Its name.
    pub schedule: String,
    /// `unreadable`.
    pub state: &'static str,
    /// Why it cannot be read.
    pub error: String,
}

impl ScheduledJobView {
    /// The job of each tick; its payload and headers only for those who may see them. The options
    /// without a name here are those that a schedule refuses.
    pub fn of(job: &NewJob, with_payload: bool) -> Self {
        let NewJob {
            id: _,
            kind,
            payload,
            headers,
            tags,
            priority,
            delay,
            expires_in,
            terms,
            on_failed: _,
            on_waiting: _,
            awaited: _,
            gate: _,
            end_signals: _,
            partition,
        } = job;
        let sent = with_payload.then(|| SentData::of(payload));
        let SentData { json, base64, content_type } = sent.unwrap_or_default();
        let headers = || headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            kind: kind.to_string(),
            payload: json.map(ToOwned::to_owned),
            payload_base64: base64,
            content_type: content_type.map(ToOwned::to_owned),
            headers: with_payload.then(|| headers().collect()),
            tags: tags.iter().map(ToString::to_string).collect(),
            partition: partition.as_ref().map(ToString::to_string),
            priority: *priority,
            delay_ms: delay.as_millis(),
            expires_in_ms: expires_in.map(Span::as_millis),
            terms: TermsView::of(terms),
        }
    }
}
