//! Extend: the heartbeat of a worker, for all jobs that it holds in one call.

use super::{claim, settle};
use crate::{
    problem::{Problem, ProblemDocument, Result},
    routes::{Call, answer},
    service::App,
    wire::{check_count, millis, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{
    Applied, Duty, JobMeta, Timestamp,
    lifecycle::{Event, Transition, decide},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{borrow::Cow, sync::Arc};
use utoipa::ToSchema;

/// Leases to extend.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExtendRequest)]
pub(crate) struct ExtendIn<'a> {
    /// The worker, so that the answer can ask it to drain.
    #[serde(borrow, default)]
    worker: Option<Cow<'a, str>>,
    #[serde(borrow)]
    items: Vec<ExtendItem<'a>>,
}

/// A lease to extend.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtendItem<'a> {
    #[serde(borrow)]
    receipt: Cow<'a, str>,
    /// The lease then lasts this long from now.
    by_ms: u64,
    /// Replaces the stored progress, if given.
    #[serde(borrow, default)]
    #[schema(value_type = Option<serde_json::Value>)]
    progress: Option<&'a RawValue>,
    #[serde(borrow, default)]
    progress_base64: Option<Cow<'a, str>>,
}

/// The outcome of each lease, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExtendAnswer)]
pub(crate) struct ExtendOut {
    now_ms: i64,
    items: Vec<ExtendedOut>,
    /// An operator asks this worker to claim nothing more and to end.
    drain: bool,
}

/// The outcome of one lease.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Extended)]
pub(crate) struct ExtendedOut {
    /// `done`, `lease_lost`, `missing`, `conflict` or `refused`.
    outcome: &'static str,
    /// With `done`: the job has a cancel request.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_requested: Option<bool>,
    /// With `done`: how long the lease lasts from the moment of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_ms: Option<u64>,
    /// With `refused`: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemDocument>,
}

/// `POST /v1/extend`
pub(crate) async fn extend(app: Arc<App>, call: Call) -> Result<Response> {
    let ExtendIn { worker, items } = call.json()?;
    check_count("items", items.len(), app.limits.jobs_per_call_max)?;
    let worker = worker.map(|worker| claim::worker_id(call.principal()?.token_id(), &worker)).transpose()?;
    let mut places = Vec::new();
    let mut batch = Vec::new();
    let mut outcomes: Vec<Option<ExtendedOut>> = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        match item.decided(&app, &call) {
            Ok(transition) => {
                places.push(at);
                batch.push(transition);
                outcomes.push(None);
            }
            Err(problem) => outcomes.push(Some(ExtendedOut::refused(&problem))),
        }
    }
    let applied = app.storage.apply(batch).await?;
    for (at, answer) in places.into_iter().zip(applied.value) {
        outcomes[at] = Some(ExtendedOut::of(&answer, applied.now));
    }
    let items = outcomes.into_iter().map(|outcome| outcome.expect("every item has its outcome")).collect();
    let drain = match worker {
        Some(worker) => app.duty_of(&worker).await == Duty::Drain,
        None => false,
    };
    answer(StatusCode::OK, &ExtendOut { now_ms: stamp(applied.now), items, drain })
}

impl ExtendItem<'_> {
    fn decided(self, app: &App, call: &Call) -> Result<Transition> {
        let receipt = settle::opened(app, call, &self.receipt)?;
        let by = claim::lease("by_ms", app, self.by_ms)?;
        let limits = app.storage.capabilities().limits;
        let progress =
            settle::note("progress", self.progress, self.progress_base64.as_deref(), &app.rules(&limits))?;
        let event = Event::Extend { token: receipt.token, by, progress };
        // Always allowed, since a receipt is about a job that is held.
        decide(&receipt.meta, event, &app.policy).map_err(|_| Problem::invalid("receipt: it is not held"))
    }
}

impl ExtendedOut {
    const fn plain(outcome: &'static str) -> Self {
        Self { outcome, cancel_requested: None, lease_ms: None, problem: None }
    }

    fn refused(problem: &Problem) -> Self {
        Self { problem: Some(problem.document()), ..Self::plain("refused") }
    }

    fn of(answer: &Applied, now: Timestamp) -> Self {
        match answer {
            Applied::Done(meta) => Self {
                cancel_requested: Some(meta.cancel_requested),
                lease_ms: Some(left(meta, now)),
                ..Self::plain("done")
            },
            Applied::LeaseLost(_) => Self::plain("lease_lost"),
            Applied::Missing => Self::plain("missing"),
            Applied::Stale(_) => Self::plain("conflict"),
        }
    }
}

fn left(meta: &JobMeta, now: Timestamp) -> u64 {
    meta.lease.as_ref().map_or(0, |lease| millis(lease.expires_at.since(now)))
}
