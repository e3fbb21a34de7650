use super::{HeldJob, backoff::jittered, shared::Shared};
use crate::handler::CancelReason;
use futures_util::{StreamExt, stream::FuturesUnordered};
use queue_core::{
    Applied, Result, Span,
    lifecycle::{Patch, Transition, decide},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Heartbeats in one lease. Two may fail before the lease lapses.
const BEATS_PER_LEASE: u32 = 3;

/// The longest that reported progress waits to be sent.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Extends every held lease in one call per beat, on a task of its own. A handler whose lease is lost, or whose job
/// somebody wants cancelled, is told.
pub(super) async fn run(shared: Arc<Shared>) {
    tokio::select! {
        biased;
        () = shared.signals.idle.cancelled() => {}
        () = beats(&shared) => {}
        () = progress(&shared) => {}
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
                unanswered.push(timeout(shared.options.lease.as_duration(), beat(shared, shared.held_jobs())));
                due = Box::pin(sleep(until_next(shared)));
            }
            Some(_) = unanswered.next() => {}
        }
    }
}

/// Progress does not wait for the next beat, and however often it is reported, the latest of each job goes in one call per
/// interval, and no call before the last one is answered.
async fn progress(shared: &Shared) {
    loop {
        sleep(PROGRESS_INTERVAL.min(interval(shared))).await;
        let mut jobs = shared.held_jobs();
        jobs.retain(|job| job.has_progress());
        if !jobs.is_empty() {
            // Without an answer for a whole lease it goes again with what is reported by then.
            drop(timeout(shared.options.lease.as_duration(), beat(shared, jobs)).await);
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

async fn beat(shared: &Shared, jobs: Vec<Arc<HeldJob>>) {
    let batch_max = shared.storage.capabilities().limits.batch_max;
    let extensions: Vec<(&HeldJob, Transition)> =
        jobs.iter().filter_map(|job| Some((&**job, extension(shared, job)?))).collect();
    for part in extensions.chunks(batch_max) {
        let sent_at = Instant::now();
        match shared.storage.apply(part.iter().map(|(_, extension)| extension.clone()).collect()).await {
            Ok(answers) => part.iter().zip(answers.value).for_each(|((job, sent), answer)| {
                note(shared, job, &sent.patch, &answer, sent_at);
            }),
            Err(error) => shared.report_error(error),
        }
    }
}

/// Extends one lease at once, for at least so long from now, and stores its progress.
pub(super) async fn extend_now(shared: &Shared, job: &HeldJob, by: Span) -> Result<()> {
    job.keep_until(Instant::now() + by.as_duration());
    let Some(extension) = extension(shared, job) else { return Ok(()) };
    let sent_at = Instant::now();
    let answers = shared.storage.apply(vec![extension.clone()]).await?;
    for answer in &answers.value {
        note(shared, job, &extension.patch, answer, sent_at);
    }
    Ok(())
}

/// The decision rests on the job as claimed: a heartbeat needs nothing newer.
fn extension(shared: &Shared, job: &HeldJob) -> Option<Transition> {
    decide(job.meta(), job.heartbeat(shared.options.lease), &shared.options.policy).ok()
}

fn note(shared: &Shared, job: &HeldJob, sent: &Patch, answer: &Applied, sent_at: Instant) {
    match answer {
        Applied::Done(meta) => {
            job.extended(sent, sent_at);
            if meta.cancel_requested {
                job.cancel(CancelReason::Requested);
            }
        }
        // Settled here in the meantime, or lost.
        _ if shared.is_holding(job) => job.cancel(CancelReason::LeaseLost),
        _ => {}
    }
}
