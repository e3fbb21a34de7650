use super::TARGET;
use crate::{
    handler::{Executed, Verdict},
    worker::{HeldJob, execution::NoOutcome},
};
use queue_core::{Failure, WorkerId};
use std::time::Duration;
use tracing::{
    Span, debug,
    field::{self, Empty},
    info_span, warn,
};

/// The span of one attempt, hooks included: whatever a handler logs stands in it.
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

/// Tells what came of an attempt. Whether a failure is final is decided when it is stored.
pub(in crate::worker) fn ended(span: &Span, executed: &Executed) {
    let ran_for = executed.ran_for();
    let Some(failure) = failure(executed) else {
        return tell(span, ran_for, outcome(executed));
    };
    warn!(target: TARGET, parent: span, ran_for = ran_for.map(field::debug), error = %failure, "the attempt failed");
    if span.is_disabled() {
        return;
    }
    span.record("outcome", outcome(executed));
    span.record("error", field::display(failure));
    #[cfg(feature = "opentelemetry")]
    super::opentelemetry::failed(span, failure);
}

/// The same for one that left nothing to store of what its handler did.
pub(in crate::worker) fn ended_without(span: &Span, outcome: NoOutcome) {
    let outcome = match outcome {
        NoOutcome::GiveBack => "given back",
        NoOutcome::TooLate => "expired",
        NoOutcome::Interrupted => "interrupted",
        NoOutcome::LeaseLost => "lease lost",
    };
    tell(span, None, outcome);
}

fn tell(span: &Span, ran_for: Option<Duration>, outcome: &'static str) {
    debug!(target: TARGET, parent: span, ran_for = ran_for.map(field::debug), outcome, "the attempt ended");
    span.record("outcome", outcome);
}

fn failure(executed: &Executed) -> Option<&Failure> {
    match &executed.outcome.as_ref().err()?.verdict {
        Verdict::Fail { failure, .. } => Some(failure),
        Verdict::Snooze(_) | Verdict::Release => None,
    }
}

fn outcome(executed: &Executed) -> &'static str {
    match &executed.outcome {
        Ok(_) => "completed",
        Err(error) => match error.verdict {
            Verdict::Fail { .. } => "failed",
            Verdict::Snooze(_) => "snoozed",
            Verdict::Release => "released",
        },
    }
}
