use super::TARGET;
use crate::{
    handler::{Executed, Verdict},
    worker::{HeldJob, execution::NoOutcome},
};
use queue_core::{Failure, WorkerId};
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
pub(in crate::worker) fn ended(span: &Span, ended: &Result<Executed, NoOutcome>) {
    let ran_for = ended.as_ref().ok().and_then(Executed::ran_for).map(field::debug);
    if let Some(failure) = failure(ended) {
        warn!(target: TARGET, parent: span, ran_for, error = %failure, "the attempt failed");
    } else {
        debug!(target: TARGET, parent: span, ran_for, outcome = outcome(ended), "the attempt ended");
    }
    if span.is_disabled() {
        return;
    }
    span.record("outcome", outcome(ended));
    if let Some(failure) = failure(ended) {
        span.record("error", field::display(failure));
        #[cfg(feature = "opentelemetry")]
        super::opentelemetry::failed(span, failure);
    }
}

fn failure(ended: &Result<Executed, NoOutcome>) -> Option<&Failure> {
    match &ended.as_ref().ok()?.outcome.as_ref().err()?.verdict {
        Verdict::Fail { failure, .. } => Some(failure),
        Verdict::Snooze(_) | Verdict::Release => None,
    }
}

fn outcome(ended: &Result<Executed, NoOutcome>) -> &'static str {
    match ended {
        Ok(Executed { outcome: Ok(_), .. }) => "completed",
        Ok(Executed { outcome: Err(error), .. }) => match error.verdict {
            Verdict::Fail { .. } => "failed",
            Verdict::Snooze(_) => "snoozed",
            Verdict::Release => "released",
        },
        Err(NoOutcome::GiveBack) => "given back",
        Err(NoOutcome::TooLate) => "expired",
        Err(NoOutcome::Interrupted) => "interrupted",
        Err(NoOutcome::LeaseLost) => "lease lost",
    }
}
