//! The span of an attempt, and the lines about its end.

use super::TARGET;
use crate::{
    handler::{AttemptResult, Disposition},
    worker::hold::HeldJob,
};
use queue_core::{Failure, WorkerId};
use std::time::Duration;
use tracing::{
    Span, debug,
    field::{self, Empty},
    info_span, warn,
};

/// The span of one attempt, hooks included. The log lines of its handler stand in it.
pub(in crate::worker) fn attempt(job: &HeldJob, worker: &WorkerId) -> Span {
    let meta = job.meta();
    let span = info_span!(
        target: TARGET,
        parent: None,
        "process",
        queue = %meta.queue,
        id = %meta.id,
        seq = meta.seq.get(),
        attempt = meta.attempt(),
        kind = %meta.kind,
        %worker,
        outcome = Empty,
        error = Empty,
        otel.kind = Empty,
    );
    #[cfg(feature = "opentelemetry")]
    if !span.is_disabled() {
        super::opentelemetry::begin(&span, job);
    }
    debug!(target: TARGET, parent: &span, "an attempt begins");
    span
}

/// Logs the outcome of an attempt. Whether a failure is final is decided when it is stored.
pub(in crate::worker) fn ended(span: &Span, job: &HeldJob, executed: &AttemptResult) {
    let ran_for = executed.ran_for();
    let Some(failure) = failure(executed) else {
        return tell(span, ran_for, outcome(executed));
    };
    let ran_for = ran_for.map(field::debug);
    if span.is_disabled() {
        // A subscriber that takes warnings alone has no span that names the job.
        let meta = job.meta();
        warn!(
            target: TARGET,
            queue = %meta.queue,
            id = %meta.id,
            seq = meta.seq.get(),
            attempt = meta.attempt(),
            kind = %meta.kind,
            ran_for,
            error = %failure,
            "the attempt failed"
        );
        return;
    }
    warn!(target: TARGET, parent: span, ran_for, error = %failure, "the attempt failed");
    span.record("outcome", outcome(executed));
    span.record("error", field::display(failure));
    #[cfg(feature = "opentelemetry")]
    super::opentelemetry::failed(span, failure);
}

/// Logs how an attempt ended that left nothing to store.
pub(in crate::worker) fn ended_without_outcome(span: &Span, end: &'static str) {
    tell(span, None, end);
}

fn tell(span: &Span, ran_for: Option<Duration>, outcome: &'static str) {
    debug!(target: TARGET, parent: span, ran_for = ran_for.map(field::debug), outcome, "the attempt ended");
    span.record("outcome", outcome);
}

fn failure(executed: &AttemptResult) -> Option<&Failure> {
    match &executed.outcome.as_ref().err()?.disposition {
        Disposition::Fail { failure, .. } => Some(failure),
        Disposition::Snooze(_) | Disposition::Release => None,
    }
}

fn outcome(executed: &AttemptResult) -> &'static str {
    match &executed.outcome {
        Ok(_) => "completed",
        Err(error) => match error.disposition {
            Disposition::Fail { .. } => "failed",
            Disposition::Snooze(_) => "snoozed",
            Disposition::Release => "released",
        },
    }
}
