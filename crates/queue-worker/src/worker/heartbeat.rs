use super::{HeldJob, backoff::jittered, shared::Shared};
use crate::handler::CancelReason;
use queue_core::{
    Applied, Limits,
    lifecycle::{Patch, Transition, decide},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// Heartbeats in one lease. Two may fail before the lease lapses.
const BEATS_PER_LEASE: u32 = 3;

/// Extends every held lease in one call per beat, on a task of its own. A handler whose lease is lost, or whose job
/// somebody wants cancelled, is told.
pub(super) async fn run(shared: Arc<Shared>) {
    let interval = shared.options.lease.as_duration() / BEATS_PER_LEASE;
    while !is_over(&shared, interval).await {
        let jobs = shared.held_jobs();
        if !jobs.is_empty() {
            tokio::select! {
                () = shared.signals.idle.cancelled() => return,
                () = beat(&shared, &jobs) => {}
            }
            cancel_lapsed(&jobs);
        }
    }
}

/// Waits for the next beat; true once nothing is held any more.
async fn is_over(shared: &Shared, interval: Duration) -> bool {
    tokio::select! {
        () = shared.signals.idle.cancelled() => true,
        () = sleep(jittered(interval, &*shared.rng).min(interval)) => false,
    }
}

async fn beat(shared: &Shared, jobs: &[Arc<HeldJob>]) {
    let limits = shared.storage.capabilities().limits;
    let extensions: Vec<(&HeldJob, Transition)> =
        jobs.iter().filter_map(|job| Some((&**job, extension(shared, &limits, job)?))).collect();
    for part in extensions.chunks(limits.batch_max) {
        let sent_at = Instant::now();
        match shared.storage.apply(part.iter().map(|(_, extension)| extension.clone()).collect()).await {
            Ok(answers) => part.iter().zip(answers.value).for_each(|((job, sent), answer)| {
                note(shared, job, &sent.patch, &answer, sent_at);
            }),
            Err(error) => shared.report_error(error),
        }
    }
}

/// The decision rests on the job as claimed: a heartbeat needs nothing newer.
fn extension(shared: &Shared, limits: &Limits, job: &HeldJob) -> Option<Transition> {
    let extend = || decide(job.meta(), job.heartbeat(shared.options.lease), &shared.options.policy).ok();
    let extension = extend()?;
    if let Err(error) = limits.check_transition(&extension) {
        // Progress that is too large must not cost the lease.
        shared.report_error(error);
        job.forget_progress();
        return extend();
    }
    Some(extension)
}

fn note(shared: &Shared, job: &HeldJob, sent: &Patch, answer: &Applied, sent_at: Instant) {
    match answer {
        Applied::Done(meta) => {
            job.extended(sent, sent_at + shared.options.lease.as_duration());
            if meta.cancel_requested {
                job.cancel(CancelReason::Requested);
            }
        }
        // Settled here in the meantime, or lost.
        _ if shared.is_holding(job.meta().seq) => job.cancel(CancelReason::LeaseLost),
        _ => {}
    }
}

/// No answer for a whole lease is as good as a lost one.
fn cancel_lapsed(jobs: &[Arc<HeldJob>]) {
    let now = Instant::now();
    for job in jobs.iter().filter(|job| job.has_lapsed(now)) {
        job.cancel(CancelReason::LeaseLost);
    }
}
