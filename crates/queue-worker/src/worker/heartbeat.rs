use super::{HeldJob, backoff::jittered, shared::Shared};
use crate::handler::CancelReason;
use futures_util::{StreamExt, stream::FuturesUnordered};
use queue_core::{
    Applied, Limits,
    lifecycle::{Patch, Transition, decide},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Heartbeats in one lease. Two may fail before the lease lapses.
const BEATS_PER_LEASE: u32 = 3;

/// Extends every held lease in one call per beat, on a task of its own. A handler whose lease is lost, or whose job
/// somebody wants cancelled, is told.
pub(super) async fn run(shared: Arc<Shared>) {
    tokio::select! {
        biased;
        () = shared.signals.idle.cancelled() => {}
        () = beats(&shared) => {}
        () = watch(&shared) => {}
    }
}

/// A beat that the store is slow to answer delays no other; one without an answer for a whole lease is of no use, so no
/// more than those of one lease are ever on their way.
async fn beats(shared: &Shared) {
    let mut unanswered = FuturesUnordered::new();
    let mut due = Box::pin(sleep(until_next(shared)));
    loop {
        tokio::select! {
            biased;
            () = &mut due => {
                unanswered.push(timeout(shared.options.lease.as_duration(), beat(shared)));
                due = Box::pin(sleep(until_next(shared)));
            }
            Some(_) = unanswered.next() => {}
        }
    }
}

fn until_next(shared: &Shared) -> Duration {
    jittered(interval(shared), &*shared.rng).min(interval(shared))
}

fn interval(shared: &Shared) -> Duration {
    shared.options.lease.as_duration() / BEATS_PER_LEASE
}

/// No extension for a whole lease is as good as a lost one: handlers are told at that moment.
async fn watch(shared: &Shared) {
    loop {
        let next_look = Instant::now() + interval(shared);
        let lapse = shared.held_jobs().iter().filter_map(|job| job.lapses_at()).min();
        sleep_until(lapse.map_or(next_look, |lapse| lapse.min(next_look))).await;
        let now = Instant::now();
        for job in shared.held_jobs() {
            if job.lapses_at().is_some_and(|at| at <= now) {
                job.cancel(CancelReason::LeaseLost);
            }
        }
    }
}

async fn beat(shared: &Shared) {
    let jobs = shared.held_jobs();
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
        _ if shared.is_holding(job) => job.cancel(CancelReason::LeaseLost),
        _ => {}
    }
}
