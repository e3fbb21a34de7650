//! Whether a claimed job may start now.

use crate::worker::{hold::HeldJob, rate::KindTurn, run::WorkerRun};
use queue_core::Span;
use tokio::time::Instant;

/// The decision about a job for which a handler is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartDecision {
    /// The job starts now, and counts as started under every rate limit.
    Start,
    /// The job is given back: it was cancelled, lost or lapsed before its turn, or its queue or its
    /// kind or the worker was paused, or the worker stops.
    GiveBack,
    /// The job did not start by the time that its producer gave it, and is ended.
    TooLate,
    /// The kind of the job is over its rate. The job is put back until its turn.
    PutBack(Span),
}

pub(super) fn decide_start(run: &WorkerRun, job: &HeldJob) -> StartDecision {
    let start = job.take_start();
    let now = Instant::now();
    if run.shutdown.stop.is_cancelled() || !job.may_start() || is_paused(run, job) {
        return StartDecision::GiveBack;
    }
    if job.is_too_late() {
        return StartDecision::TooLate;
    }
    // The kind is asked last, since it counts the start at once.
    if let KindTurn::After(wait) = run.kinds.start(job.meta(), run.options.lease) {
        return StartDecision::PutBack(Span::new("wait", wait).unwrap_or(Span::MAX));
    }
    // Reserved jobs use up no start of the application's: dropped, the start is free for another
    // job.
    if let Some(start) = start.filter(|_| !job.meta().kind.is_reserved()) {
        start.start(now);
    }
    StartDecision::Start
}

/// Whether the worker, or the queue or the kind of the job, is paused.
pub(super) fn is_paused(run: &WorkerRun, job: &HeldJob) -> bool {
    run.pause.is_on() || run.queues[job.queue_index()].pauses(&job.meta().kind)
}
