//! Ends the leases of workers that died. What lapsed while the store stood still is left to its
//! workers for a while (ADR 0071).

use super::{repeat, rescue_tick::RESCUE_MAX};
use crate::worker::{
    deadline,
    hold::HeldJob,
    run::WorkerRun,
    watch::{CountedEnd, WorkerEvent},
};
use futures_util::future::join_all;
use queue_core::{
    Applied, ClaimRequest, JobMeta, ListQuery, Result, Seq, StorageExt,
    lifecycle::{Event, decide},
    series::WorkOutcome,
};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The most jobs that the end of one lease writes: its own, and the follow-up that its producer
/// asked for.
const JOBS_PER_LAPSE: usize = 2;
/// No lease is ended unless the store took a write of this worker so shortly before. It may answer
/// reads while it takes no writes, and the writes that wait begin in any order.
const FRESH: Duration = Duration::from_secs(1);

/// Ends the lapsed leases of one queue. An error is reported.
pub(in crate::worker) async fn rescue(run: &WorkerRun, queue_index: usize) {
    if let Err(error) = try_rescue(run, queue_index).await {
        run.report_error_of(&run.queues[queue_index].name, error);
    }
}

/// Rescues each queue by itself, so that a queue whose store does not answer holds up no other.
pub(in crate::worker) async fn rescue_at_intervals(run: Arc<WorkerRun>) {
    let run = &*run;
    let interval = run.options.rescue_interval;
    join_all((0..run.queues.len()).map(|index| repeat(run, interval, move || rescue(run, index)))).await;
}

/// Ends lapsed leases page by page, except the leases of jobs whose handlers run here or may just
/// have ended elsewhere.
async fn try_rescue(run: &WorkerRun, queue_index: usize) -> Result<()> {
    let queue = &run.queues[queue_index].name;
    // All that a page may lead to fits into one call, or the store would refuse it again and again.
    let page_max = run.storage.capabilities().limits.batch_max / JOBS_PER_LAPSE;
    let limit = RESCUE_MAX.min(page_max.max(1));
    let mut query = ListQuery::lapsed(queue.clone(), limit);
    loop {
        let page = run.storage.list(query.clone()).await?;
        let lapsed = lapsed(run, queue_index, page.jobs).await?;
        let decided = |job| decide(job, Event::Lapse, &run.options.policy).ok();
        let mut batch: Vec<_> = lapsed.iter().filter_map(decided).collect();
        if !batch.is_empty() {
            run.storage.trace_followers(queue, &mut batch).await;
            let answers = run.storage.apply(batch).await?;
            run.answers.note([queue_index], answers.now);
            run.series.count(answers.now, answers.value.iter().filter_map(stalled));
            for answer in answers.value {
                if let Applied::Done(job) = answer {
                    run.events.emit(&WorkerEvent::Stalled(job));
                }
            }
        }
        query.after = page.next;
        if query.after.is_none() {
            return Ok(());
        }
    }
}

/// The jobs among these whose leases may be ended.
async fn lapsed(run: &WorkerRun, queue_index: usize, mut jobs: Vec<JobMeta>) -> Result<Vec<JobMeta>> {
    let own = spared(run, queue_index);
    jobs.retain(|job| !own.contains(&claim_of(job)));
    if !jobs.is_empty() && !run.answers.are_fresh(queue_index, FRESH) {
        ask(run, queue_index).await?;
    }
    jobs.retain(|job| !run.answers.hide(queue_index, job));
    Ok(jobs)
}

/// Asks by a claim of no job whether the store takes writes.
async fn ask(run: &WorkerRun, queue_index: usize) -> Result<()> {
    let (queue, lease) = (run.queues[queue_index].name.clone(), run.options.lease);
    let request = ClaimRequest::new(queue, run.name.id.clone(), 0, lease, &*run.rng);
    let answer = run.storage.claim(request).await?;
    run.answers.note([queue_index], answer.now);
    Ok(())
}

fn stalled(answer: &Applied) -> Option<CountedEnd<'_>> {
    let Applied::Done(job) = answer else { return None };
    let is_counted = !job.kind.is_reserved();
    is_counted.then_some(CountedEnd { job, outcome: WorkOutcome::Stalled, ran_for: None })
}

/// One claim of one job. Within a queue a life has its `seq` to itself, and every claim of it
/// another epoch.
type ClaimOfJob = (Seq, u64);

fn claim_of(job: &JobMeta) -> ClaimOfJob {
    (job.seq, job.epoch)
}

/// Claims of this worker that may still be settled: those whose outcomes wait for the store, and
/// those whose handlers have not run out of time.
fn spared(run: &WorkerRun, queue_index: usize) -> HashSet<ClaimOfJob> {
    let now = Instant::now();
    let held = run.held.all();
    let of_queue = held.iter().filter(|job| job.queue_index() == queue_index);
    let spared = of_queue.filter(|job| job.has_outcome() || has_time(run, job, now));
    spared.map(|job| claim_of(job.meta())).collect()
}

/// Whether a handler may still settle its job. A runtime that was blocked has missed heartbeats,
/// and would run its jobs beside themselves. A handler has the grace from the moment at which the
/// worker noticed the lapse. Then it is dropped; one that cannot be dropped has another lease, so
/// that a handler that never returns does not keep its job for ever.
///
/// The work of a job whose outcome waits is done, so it has no such limit: the settler sends the
/// outcome until the store takes or refuses it, or the shutdown gives it up, and then lets go.
fn has_time(run: &WorkerRun, job: &HeldJob, now: Instant) -> bool {
    let patience = run.options.grace.saturating_add(run.options.lease.as_duration());
    job.time_limit().lost_at().is_none_or(|at| now < deadline::after(at, patience))
}
