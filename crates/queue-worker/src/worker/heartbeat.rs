use super::{HeldJob, shared::Shared, trace};
use crate::handler::CancelReason;
use futures_util::{StreamExt, future::join_all, stream::FuturesUnordered};
use queue_core::{
    Applied, Error, ErrorKind, Result, Span,
    asking::jittered,
    lifecycle::{Patch, Transition, decide},
};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until, timeout},
};
use tracing::Instrument as _;

/// Heartbeats in one lease. Two may fail before the lease lapses.
const BEATS_PER_LEASE: u32 = 3;

/// The longest that reported progress waits to be sent.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Which leases share a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// All of the worker's, as long as nothing is wrong.
    Shared,
    /// Those of one queue, so that trouble with it is its own.
    ByQueue,
}

/// The next heartbeat of a job.
struct Extension<'a> {
    job: &'a HeldJob,
    transition: Transition,
}

/// Extends every held lease in one call per beat, on a task of its own. A handler whose lease is lost, or whose job
/// somebody wants cancelled, is told.
///
/// A call that the store refuses, or has not answered by the next beat, is followed by one for each queue. What is still
/// refused, and not for now, is sent in ever smaller parts, so that a damaged record costs no lease but its own.
pub(super) async fn run(shared: Arc<Shared>) {
    let urgent = Notify::new();
    tokio::select! {
        biased;
        () = shared.signals.idle.cancelled() => {}
        () = beats(&shared, &urgent) => {}
        () = progress(&shared) => {}
        () = watch(&shared, &urgent) => {}
    }
}

/// A beat that the store is slow to answer delays no other; one without an answer for a whole lease is of no use, so no
/// more than those of one lease are ever on their way, and one for each claim that was answered late.
async fn beats(shared: &Shared, urgent: &Notify) {
    let mut unanswered = FuturesUnordered::new();
    let mut due = Box::pin(sleep(until_next(shared)));
    loop {
        let jobs = tokio::select! {
            biased;
            () = &mut due => {
                due = Box::pin(sleep(until_next(shared)));
                shared.held_jobs()
            }
            () = urgent.notified() => before_next_round(shared),
            Some(_) = unanswered.next() => continue,
        };
        // It may be one queue alone that keeps a call waiting.
        let calls = if unanswered.is_empty() { Calls::Shared } else { Calls::ByQueue };
        unanswered.push(timeout(shared.options.lease.as_duration(), beat(shared, jobs, calls)));
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
            drop(timeout(shared.options.lease.as_duration(), beat(shared, jobs, Calls::Shared)).await);
        }
    }
}

fn until_next(shared: &Shared) -> Duration {
    jittered(interval(shared), &*shared.rng).min(interval(shared))
}

fn interval(shared: &Shared) -> Duration {
    shared.options.lease.as_duration() / BEATS_PER_LEASE
}

/// The jobs whose lease may lapse before the next beat and the next look.
fn before_next_round(shared: &Shared) -> Vec<Arc<HeldJob>> {
    let next_round = Instant::now() + interval(shared);
    let mut jobs = shared.held_jobs();
    jobs.retain(|job| job.lapses_at().is_some_and(|at| at <= next_round));
    jobs
}

/// Has the heartbeat look at jobs at once that came under a lease which lapses then: a claim that was answered late may
/// leave too little of it to wait for the next round.
pub(super) fn look_at(shared: &Shared, lapses_at: Instant) {
    if lapses_at <= Instant::now() + interval(shared) {
        shared.held_late.notify_one();
    }
}

/// No extension for a whole lease is as good as a lost one: handlers are told at that moment.
async fn watch(shared: &Shared, urgent: &Notify) {
    loop {
        let next_look = Instant::now() + interval(shared);
        let lapse = shared.held_jobs().iter().filter_map(|job| job.lapses_at()).min();
        tokio::select! {
            biased;
            () = shared.held_late.notified() => urgent.notify_one(),
            () = sleep_until(lapse.map_or(next_look, |lapse| lapse.min(next_look))) => {}
        }
        let now = Instant::now();
        for job in shared.held_jobs() {
            if job.lapses_at().is_some_and(|at| at <= now) {
                job.lose();
            }
        }
    }
}

async fn beat(shared: &Shared, mut jobs: Vec<Arc<HeldJob>>, calls: Calls) {
    // Those of a queue side by side, so that they can go by themselves.
    jobs.sort_by_key(|job| job.lane());
    let next = |job| Some(Extension { job, transition: extension(shared, job)? });
    let all: Vec<Extension<'_>> = jobs.iter().filter_map(|job| next(job)).collect();
    if calls == Calls::ByQueue || !is_of_several(&all) {
        return beat_by_queue(shared, &all).await;
    }
    for part in all.chunks(batch_max(shared)) {
        match extend(shared, part).await {
            Err(error) if error.kind() == ErrorKind::Closed => shared.report_error(error),
            // What is wrong, and with which queue, their own calls will tell.
            Err(_) => beat_by_queue(shared, part).await,
            Ok(()) => {}
        }
    }
}

async fn beat_by_queue(shared: &Shared, all: &[Extension<'_>]) {
    join_all(by_queue(all).map(|of_queue| beat_queue(shared, of_queue))).await;
}

/// In as few calls as the store takes, one at a time: halves of what it refuses, down to the one that is at fault.
async fn beat_queue(shared: &Shared, of_queue: &[Extension<'_>]) {
    let mut left: VecDeque<_> = of_queue.chunks(batch_max(shared)).collect();
    while let Some(part) = left.pop_front() {
        match extend(shared, part).await {
            Err(error) if part.len() > 1 && may_be_of_one(&error) => {
                let (first, second) = part.split_at(part.len() / 2);
                left.extend([first, second]);
            }
            Err(error) => shared.report_error_of(&part[0].job.meta().queue, error),
            Ok(()) => {}
        }
    }
}

/// One call.
async fn extend(shared: &Shared, part: &[Extension<'_>]) -> Result<()> {
    let sent_at = Instant::now();
    let span = trace::heartbeat(part.len());
    let extending = shared.storage.apply(part.iter().map(|it| it.transition.clone()).collect());
    let answers = extending.instrument(span.clone()).await;
    trace::answered(&span, &answers);
    let answers = answers?;
    for (Extension { job, transition }, answer) in part.iter().zip(answers.value) {
        note(shared, job, &transition.patch, &answer, sent_at);
    }
    Ok(())
}

fn by_queue<'a, 'b>(all: &'b [Extension<'a>]) -> impl Iterator<Item = &'b [Extension<'a>]> {
    all.chunk_by(|one, next| one.job.lane() == next.job.lane())
}

fn is_of_several(all: &[Extension<'_>]) -> bool {
    by_queue(all).nth(1).is_some()
}

fn batch_max(shared: &Shared) -> usize {
    shared.storage.capabilities().limits.batch_max
}

/// A damaged record, rather than trouble with the store.
fn may_be_of_one(error: &Error) -> bool {
    !error.is_transient() && !matches!(error.kind(), ErrorKind::Closed | ErrorKind::Unsupported)
}

/// Extends one lease at once, for at least so long from now, and stores its progress.
pub(super) async fn extend_now(shared: &Shared, job: &HeldJob, by: Span) -> Result<()> {
    job.keep_until(Instant::now() + by.as_duration());
    let Some(transition) = extension(shared, job) else { return Ok(()) };
    extend(shared, &[Extension { job, transition }]).await
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
        // Somebody holds the record, such as a transaction of the handler that completes the job: for the next beat.
        Applied::Stale(_) => {}
        // Settled here in the meantime, or lost.
        _ if shared.is_holding(job) => job.lose(),
        _ => {}
    }
}
