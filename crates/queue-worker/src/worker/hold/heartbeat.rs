//! The heartbeat: extends all held leases, and asks a handler to stop whose lease is lost.

use super::HeldJob;
use crate::{
    handler::CancelReason,
    worker::{run::WorkerRun, trace, watch::WorkerEvent},
};
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
enum CallGrouping {
    /// All leases of the worker, as long as nothing is wrong.
    AllQueues,
    /// The leases of one queue, so that trouble with a queue is its own.
    ByQueue,
}

/// The next heartbeat of a job.
struct Extension<'a> {
    job: &'a HeldJob,
    transition: Transition,
}

/// Extends every held lease in one call per beat, until nothing is held any more. A handler is
/// asked to stop if its lease is lost or a cancel of its job was requested.
///
/// A call that the store refuses, or has not answered by the next beat, is followed by one for each
/// queue. A call for one queue that is refused for good is sent again in ever smaller parts, so
/// that a damaged record costs no lease but its own.
pub(in crate::worker) async fn keep_leases(run: Arc<WorkerRun>) {
    let urgent = Notify::new();
    tokio::select! {
        biased;
        () = run.shutdown.idle.cancelled() => {}
        () = beats(&run, &urgent) => {}
        () = progress(&run) => {}
        () = watch_lapses(&run, &urgent) => {}
    }
}

/// Sends the regular beats. A beat that the store is slow to answer delays no other. A beat without
/// an answer for a whole lease is of no use, so that no more than the beats of one lease are in
/// flight, and one for each claim that was answered late.
async fn beats(run: &WorkerRun, urgent: &Notify) {
    let mut unanswered = FuturesUnordered::new();
    let mut due = Box::pin(sleep(until_next(run)));
    loop {
        let jobs = tokio::select! {
            biased;
            () = &mut due => {
                due = Box::pin(sleep(until_next(run)));
                run.held.all()
            }
            () = urgent.notified() => lapsing_before_next_round(run),
            Some(_) = unanswered.next() => continue,
        };
        // A single queue may be what keeps a call waiting.
        let grouping = if unanswered.is_empty() { CallGrouping::AllQueues } else { CallGrouping::ByQueue };
        unanswered.push(timeout(run.options.lease.as_duration(), beat(run, jobs, grouping)));
    }
}

/// Sends reported progress, which does not wait for the next beat. However often it is reported,
/// the latest report of each job goes in one call per interval, and no call is sent before the last
/// one is answered.
async fn progress(run: &WorkerRun) {
    loop {
        sleep(PROGRESS_INTERVAL.min(beat_interval(run))).await;
        let mut jobs = run.held.all();
        jobs.retain(|job| job.has_progress());
        if !jobs.is_empty() {
            // Without an answer for a whole lease it goes again, with what is reported by then.
            let beat = beat(run, jobs, CallGrouping::AllQueues);
            drop(timeout(run.options.lease.as_duration(), beat).await);
        }
    }
}

fn until_next(run: &WorkerRun) -> Duration {
    jittered(beat_interval(run), &*run.rng).min(beat_interval(run))
}

/// The time between two heartbeats.
pub(in crate::worker) fn beat_interval(run: &WorkerRun) -> Duration {
    run.options.lease.as_duration() / BEATS_PER_LEASE
}

/// The jobs whose lease may lapse before the next beat and the next look.
fn lapsing_before_next_round(run: &WorkerRun) -> Vec<Arc<HeldJob>> {
    let next_round = Instant::now() + beat_interval(run);
    let mut jobs = run.held.all();
    jobs.retain(|job| job.lapses_at().is_some_and(|at| at <= next_round));
    jobs
}

/// Has new leases extended at once if they lapse before the next round: a claim that was answered
/// late leaves little of them.
pub(in crate::worker) fn extend_soon(run: &WorkerRun, lapses_at: Instant) {
    if lapses_at <= Instant::now() + beat_interval(run) {
        run.held.signal_held_late();
    }
}

/// Asks handlers to stop at the moment at which their lease lapses: no extension for a whole lease
/// is as good as a lost one.
async fn watch_lapses(run: &WorkerRun, urgent: &Notify) {
    loop {
        let asleep_at = Instant::now();
        let lapse = run.held.all().iter().filter_map(|job| job.lapses_at()).min();
        let regular = asleep_at + beat_interval(run);
        let next_look = lapse.map_or(regular, |lapse| lapse.clamp(asleep_at, regular));
        tokio::select! {
            biased;
            () = run.held.held_late() => urgent.notify_one(),
            () = sleep_until(next_look) => {}
        }
        let now = Instant::now();
        report_blocked(run, now.saturating_duration_since(next_look));
        for job in run.held.all() {
            if job.lapses_at().is_some_and(|at| at <= now) {
                job.lose();
            }
        }
    }
}

/// Reports a look that came so late that a lease lapsed meanwhile: the last heartbeat before it was
/// sent up to a beat earlier. All timers of a runtime are late when its thread is blocked.
fn report_blocked(run: &WorkerRun, late: Duration) {
    if late + beat_interval(run) < run.options.lease.as_duration() {
        return;
    }
    let event = WorkerEvent::RuntimeBlocked { blocked_for: late };
    tracing::warn!(target: trace::TARGET, "{event}");
    run.events.emit(&event);
}

/// Extends the leases of jobs, in as few calls as the store takes.
async fn beat(run: &WorkerRun, mut jobs: Vec<Arc<HeldJob>>, grouping: CallGrouping) {
    // The jobs of a queue stand together, so that they can be sent apart from the others.
    jobs.sort_by_key(|job| job.queue_index());
    let next = |job| Some(Extension { job, transition: extension(run, job)? });
    let all: Vec<Extension<'_>> = jobs.iter().filter_map(|job| next(job)).collect();
    if grouping == CallGrouping::ByQueue || !is_of_several(&all) {
        return beat_by_queue(run, &all).await;
    }
    for part in all.chunks(batch_max(run)) {
        match extend(run, part).await {
            Err(error) if error.kind() == ErrorKind::Closed => run.report_error(error),
            // The calls of each queue show what is wrong, and with which queue.
            Err(_) => beat_by_queue(run, part).await,
            Ok(()) => {}
        }
    }
}

async fn beat_by_queue(run: &WorkerRun, all: &[Extension<'_>]) {
    join_all(by_queue(all).map(|of_queue| beat_queue(run, of_queue))).await;
}

/// Extends the leases of one queue, one call at a time. A call that fails because of one item is
/// followed by its halves, down to the item at fault. A bisection finds it in few calls, and is
/// safe since an extension may be sent twice.
async fn beat_queue(run: &WorkerRun, of_queue: &[Extension<'_>]) {
    let mut left: VecDeque<_> = of_queue.chunks(batch_max(run)).collect();
    while let Some(part) = left.pop_front() {
        match extend(run, part).await {
            Err(error) if part.len() > 1 && may_be_of_one(&error) => {
                let (first, second) = part.split_at(part.len() / 2);
                left.extend([first, second]);
            }
            Err(error) => run.report_error_of(&part[0].job.meta().queue, error),
            Ok(()) => {}
        }
    }
}

/// One call.
async fn extend(run: &WorkerRun, part: &[Extension<'_>]) -> Result<()> {
    let sent_at = Instant::now();
    let span = trace::heartbeat(part.len());
    let extending = run.storage.apply(part.iter().map(|it| it.transition.clone()).collect());
    let answers = extending.instrument(span.clone()).await;
    trace::answered(&span, &answers);
    let answers = answers?;
    run.answers.note(part.iter().map(|it| it.job.queue_index()), answers.now);
    for (Extension { job, transition }, answer) in part.iter().zip(answers.value) {
        note(run, job, &transition.patch, &answer, sent_at);
    }
    Ok(())
}

fn by_queue<'a, 'b>(all: &'b [Extension<'a>]) -> impl Iterator<Item = &'b [Extension<'a>]> {
    all.chunk_by(|one, next| one.job.queue_index() == next.job.queue_index())
}

fn is_of_several(all: &[Extension<'_>]) -> bool {
    by_queue(all).nth(1).is_some()
}

/// Bounds a call by items alone: an extension writes one job, and its progress is bounded too.
fn batch_max(run: &WorkerRun) -> usize {
    run.storage.capabilities().limits.batch_max
}

/// Whether a damaged record may be what the store refuses, rather than the whole call.
fn may_be_of_one(error: &Error) -> bool {
    !error.is_transient() && !matches!(error.kind(), ErrorKind::Closed | ErrorKind::Unsupported)
}

/// Extends one lease at once, for at least this long from now, and stores its progress.
pub(super) async fn extend_now(run: &WorkerRun, job: &HeldJob, by: Span) -> Result<()> {
    job.keep_until(Instant::now() + by.as_duration());
    let Some(transition) = extension(run, job) else { return Ok(()) };
    extend(run, &[Extension { job, transition }]).await
}

/// Decides on the job as it was claimed: a heartbeat needs nothing newer.
fn extension(run: &WorkerRun, job: &HeldJob) -> Option<Transition> {
    decide(job.meta(), job.heartbeat(run.options.lease), &run.options.policy).ok()
}

fn note(run: &WorkerRun, job: &HeldJob, sent: &Patch, answer: &Applied, sent_at: Instant) {
    match answer {
        Applied::Done(meta) => {
            job.extended(sent, sent_at);
            if meta.cancel_requested {
                job.cancel(CancelReason::Requested);
            }
        }
        // The record is locked, as by a transaction of the handler that completes the job. The next
        // beat tries again.
        Applied::Stale(_) => {}
        // Settled here in the meantime, or lost.
        _ if run.held.contains(job) => job.lose(),
        _ => {}
    }
}
