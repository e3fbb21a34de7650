//! The events of a settle.

use crate::{
    problem::{Problem, Result},
    wire::{KeepIn, NewJobIn, RequestRules, bytes_of, checked_all, payload_of, span},
};
use queue_core::{
    Failure, LeaseToken, NewJob, Retention, State,
    lifecycle::{Cause, Event},
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use utoipa::ToSchema;

/// The job is done.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Complete)]
pub(super) struct CompleteIn<'a> {
    /// Any JSON, stored byte for byte; `null` if absent.
    #[serde(borrow)]
    #[schema(value_type = Option<serde_json::Value>)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    result_base64: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content_type: Option<Cow<'a, str>>,
    /// Replaces how long the record is kept.
    keep: Option<KeepIn>,
    /// Jobs that are enqueued in the same step.
    #[serde(borrow, default)]
    then: Vec<NewJobIn<'a>>,
    /// Jobs that join the batch of this job in the same step, also if it is sealed. The id of each
    /// is the part behind the name of the batch.
    #[serde(borrow, default)]
    pub(super) members: Vec<NewJobIn<'a>>,
}

/// The attempt failed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Fail)]
pub(super) struct FailIn<'a> {
    #[serde(borrow)]
    error: FailureIn<'a>,
    /// Whether another attempt can help.
    #[serde(default)]
    cause: CauseIn,
    /// The wait before the next attempt, in place of the server's.
    delay_ms: Option<u64>,
    /// Replaces how long the record is kept, if the failure is final.
    keep: Option<KeepIn>,
    /// Jobs that are enqueued in the same step, if the failure is final.
    #[serde(borrow, default)]
    then: Vec<NewJobIn<'a>>,
}

/// What went wrong.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Failure)]
pub(super) struct FailureIn<'a> {
    /// What programs match on; at most 255 bytes are kept.
    #[serde(borrow)]
    name: Cow<'a, str>,
    /// What people read; at most 1024 bytes are kept, with secrets masked.
    #[serde(borrow, default)]
    message: Cow<'a, str>,
    /// Any JSON, at most 16 KiB.
    #[serde(borrow, default)]
    #[schema(value_type = Option<serde_json::Value>)]
    details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    details_base64: Option<Cow<'a, str>>,
}

/// Whether another attempt can help.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Cause)]
pub(super) enum CauseIn {
    #[default]
    Retryable,
    Terminal,
    UnknownKind,
    Undecodable,
}

/// Given back unstarted.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Release)]
pub(super) struct ReleaseIn<'a> {
    /// Not claimed before; to its old place if absent.
    delay_ms: Option<u64>,
    /// Jobs that are enqueued in the same step; not with a delay.
    #[serde(borrow, default)]
    then: Vec<NewJobIn<'a>>,
}

/// Given back though it had started.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Interrupt)]
pub(super) struct InterruptIn<'a> {
    /// Notes for the next attempt.
    #[serde(borrow)]
    #[schema(value_type = Option<serde_json::Value>)]
    progress: Option<&'a RawValue>,
    #[serde(borrow)]
    progress_base64: Option<Cow<'a, str>>,
    /// Jobs that are enqueued in the same step.
    #[serde(borrow, default)]
    then: Vec<NewJobIn<'a>>,
}

/// To run again later.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Snooze)]
pub(super) struct SnoozeIn<'a> {
    /// Not claimed before.
    delay_ms: u64,
    /// Notes for the next attempt.
    #[serde(borrow, default)]
    #[schema(value_type = Option<serde_json::Value>)]
    progress: Option<&'a RawValue>,
    #[serde(borrow, default)]
    progress_base64: Option<Cow<'a, str>>,
    /// Jobs that are enqueued in the same step.
    #[serde(borrow, default)]
    then: Vec<NewJobIn<'a>>,
}

impl CompleteIn<'_> {
    pub(super) fn event(self, token: LeaseToken, rules: &RequestRules<'_>) -> Result<Event> {
        let base64 = self.result_base64.as_deref();
        let result = payload_of("result", self.result, base64, self.content_type.as_deref(), rules.service)?;
        let bytes = result.bytes.len();
        let most = rules.store.payload_bytes_max;
        if bytes > most {
            return Err(Problem::too_large(format!("result: at most {most} bytes, not {bytes}")));
        }
        let retention = retention(self.keep)?;
        Ok(Event::Complete { token, result, retention, then: followers(self.then, rules)? })
    }
}

impl FailIn<'_> {
    pub(super) fn event(self, token: LeaseToken, rules: &RequestRules<'_>) -> Result<Event> {
        let failure = Failure::new(self.error.name, self.error.message);
        let details = note("details", self.error.details, self.error.details_base64.as_deref(), rules)?;
        let failure = match details {
            Some(details) => failure.with_details(details),
            None => failure,
        };
        let cause = match self.cause {
            CauseIn::Retryable => Cause::Retryable,
            CauseIn::Terminal => Cause::Terminal,
            CauseIn::UnknownKind => Cause::UnknownKind,
            CauseIn::Undecodable => Cause::Undecodable,
        };
        let delay = self.delay_ms.map(|millis| span("delay_ms", millis)).transpose()?;
        let retention = retention(self.keep)?;
        Ok(Event::Fail { token, failure, cause, delay, retention, then: followers(self.then, rules)? })
    }
}

impl ReleaseIn<'_> {
    pub(super) fn event(self, token: LeaseToken, rules: &RequestRules<'_>) -> Result<Event> {
        match self.delay_ms {
            None => Ok(Event::Release { token, then: followers(self.then, rules)? }),
            Some(_) if !self.then.is_empty() => {
                Err(Problem::invalid("release: give delay_ms or then, not both"))
            }
            Some(millis) => Ok(Event::PutBack { token, delay: span("delay_ms", millis)? }),
        }
    }
}

impl InterruptIn<'_> {
    pub(super) fn event(self, token: LeaseToken, rules: &RequestRules<'_>) -> Result<Event> {
        let progress = note("progress", self.progress, self.progress_base64.as_deref(), rules)?;
        Ok(Event::Interrupt { token, progress, then: followers(self.then, rules)? })
    }
}

impl SnoozeIn<'_> {
    pub(super) fn event(self, token: LeaseToken, rules: &RequestRules<'_>) -> Result<Event> {
        let progress = note("progress", self.progress, self.progress_base64.as_deref(), rules)?;
        let delay = span("delay_ms", self.delay_ms)?;
        Ok(Event::Snooze { token, delay, progress, then: followers(self.then, rules)? })
    }
}

/// Bytes without a content type, within the limit of the store.
pub(in crate::verbs) fn note(
    what: &str,
    json: Option<&RawValue>,
    base64: Option<&str>,
    rules: &RequestRules<'_>,
) -> Result<Option<bytes::Bytes>> {
    let found = bytes_of(what, json, base64, rules.service)?;
    let bytes = found.as_ref().map_or(0, bytes::Bytes::len);
    let most = rules.store.note_bytes_max;
    if bytes > most {
        return Err(Problem::too_large(format!("{what}: at most {most} bytes, not {bytes}")));
    }
    Ok(found)
}

fn retention(keep: Option<KeepIn>) -> Result<Option<Retention>> {
    keep.map(|keep| keep.retention().map_err(|problem| problem.at("keep"))).transpose()
}

fn followers(then: Vec<NewJobIn<'_>>, rules: &RequestRules<'_>) -> Result<Vec<NewJob>> {
    checked_all("then", then, rules)
}

/// Adds jobs to those that follow.
pub(super) fn follow(event: &mut Event, jobs: Vec<NewJob>) {
    if let Event::Complete { then, .. } = event {
        then.extend(jobs);
    }
}

/// Whether jobs may follow the event.
pub(super) fn has_followers(event: &Event) -> bool {
    match event {
        Event::Complete { then, .. }
        | Event::Fail { then, .. }
        | Event::Release { then, .. }
        | Event::Interrupt { then, .. }
        | Event::Snooze { then, .. } => !then.is_empty(),
        _ => false,
    }
}

/// The state in which a job ends whose record is removed by the event.
pub(super) const fn ends_as(event: &Event, cancel_requested: bool) -> State {
    match event {
        Event::Complete { .. } => State::Completed,
        Event::Fail { .. } if !cancel_requested => State::Failed,
        _ => State::Cancelled,
    }
}
