//! A claim that loses no jobs: if the caller is dropped or times out while its claim is in flight,
//! the jobs are given back.

use super::{claims, reserved};
use crate::{client::Shared, spawn};
use queue_core::{
    Applied, Claimed, ClaimedJob, Error, ErrorKind, Result, StorageExt, Timestamp,
    lifecycle::{Event, Policy, decide},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep, timeout_at},
};

/// How often the give-back of a job that came too late is tried while the store fails. After that
/// its lease has to lapse.
const RELEASES_MAX: u32 = 5;
/// The wait after the first try; it doubles.
const RELEASE_PAUSE: Duration = Duration::from_millis(100);

/// How often consumers of one handle look for lapsed leases while there are other jobs to claim.
const RESCUE_INTERVAL: Duration = Duration::from_secs(5);
/// The most lapsed leases that one look ends.
const RESCUE_MAX: usize = 1000;

/// The answer to a claim. Its jobs are given back when it is dropped, unless the caller has
/// [`taken`](Self::taken) them.
pub(super) struct Offer {
    pub(super) claimed: Claimed,
    taken: oneshot::Sender<()>,
}

impl Offer {
    /// Hands the jobs over to the caller.
    pub(super) fn take(self) {
        // The task ends early only if the runtime ends, and then nothing gives the job back.
        let _ = self.taken.send(());
    }
}

/// Claims jobs, and rescues lapsed ones if there are none. Dropping the future, before or after the
/// answer, leaves no job leased.
pub(super) async fn claim(shared: &Arc<Shared>, limit: usize, until: Instant) -> Result<Offer> {
    let (answer, answered) = oneshot::channel();
    spawn::owned(claim_and_offer(shared.clone(), limit, until, answer));
    match timeout_at(until, answered).await {
        Ok(Ok(offer)) => offer,
        Ok(Err(_)) => {
            Err(Error::new(ErrorKind::Internal, "dequeue", "the store panicked in a claim").unknown())
        }
        Err(_elapsed) => Err(out_of_time()),
    }
}

pub(super) fn out_of_time() -> Error {
    let message = "the store did not answer in time; what it still gives out goes back";
    Error::new(ErrorKind::Unavailable, "dequeue", message)
}

async fn claim_and_offer(
    shared: Arc<Shared>,
    limit: usize,
    until: Instant,
    answer: oneshot::Sender<Result<Offer>>,
) {
    let (taken, is_taken) = oneshot::channel();
    if let Err(error) = rescue_at_intervals(&shared).await {
        return drop(answer.send(Err(error)));
    }
    let claimed = match claim_in_time(&shared, limit, until).await {
        Ok(claimed) => claimed,
        Err(error) => return drop(answer.send(Err(error))),
    };
    let jobs = claimed.jobs.clone();
    // An offer that no caller waits for any more comes back here, and is dropped with its sender.
    drop(answer.send(Ok(Offer { claimed, taken })));
    if is_taken.await.is_err() {
        for job in &jobs {
            give_back(&shared, job).await;
        }
    }
}

/// Claims jobs for the caller that may still start. The library's own jobs are done here, jobs that
/// may not start any more are ended, and if nothing else came, other jobs are claimed.
async fn claim_in_time(shared: &Arc<Shared>, limit: usize, until: Instant) -> Result<Claimed> {
    loop {
        let mut claimed = claim_or_rescue(shared, limit, until).await?;
        let now = claimed.now;
        let own: Vec<ClaimedJob> =
            claimed.jobs.extract_if(.., |job| job.record.meta.kind.is_reserved()).collect();
        let late: Vec<ClaimedJob> =
            claimed.jobs.extract_if(.., |job| job.record.meta.is_too_late(now)).collect();
        if own.is_empty() && late.is_empty() {
            return Ok(claimed);
        }
        for job in own {
            reserved::look_after(shared, &job).await;
        }
        if let Err(error) = expire(shared, &late, now).await {
            // If they were given back they would still be too late, and a lapse would count as a
            // start.
            for job in late.iter().chain(&claimed.jobs) {
                give_back(shared, job).await;
            }
            return Err(error);
        }
        if !claimed.jobs.is_empty() || Instant::now() >= until {
            return Ok(claimed);
        }
    }
}

async fn expire(shared: &Shared, late: &[ClaimedJob], now: Timestamp) -> Result<()> {
    let event = |job: &ClaimedJob| Event::Expire { now, token: Some(job.token) };
    let decided = |job: &ClaimedJob| decide(&job.record.meta, event(job), &shared.policy).ok();
    let (sent, batch): (Vec<_>, Vec<_>) = late.iter().filter_map(|job| Some((job, decided(job)?))).unzip();
    let answers = shared.storage.apply(batch).await?.value;
    for (job, answer) in sent.into_iter().zip(answers) {
        if let Applied::Stale(moved) = answer {
            shared.storage.settle(&moved, event(job), &shared.policy).await?;
        }
    }
    Ok(())
}

/// Claims, and rescues lapsed jobs if there are no others.
async fn claim_or_rescue(shared: &Arc<Shared>, limit: usize, until: Instant) -> Result<Claimed> {
    let claimed = claims::claim(shared, limit, until).await?;
    let is_overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if !claimed.jobs.is_empty() || claimed.pause.is_on() || !is_overdue {
        return Ok(claimed);
    }
    shared.storage.rescue(&shared.name, limit, &shared.policy).await?;
    claims::claim(shared, limit, until).await
}

/// Rescues at intervals: in a queue that always has a due job, no claim comes back empty and
/// rescues.
async fn rescue_at_intervals(shared: &Shared) -> Result<()> {
    let now = Instant::now();
    {
        let mut last = shared.rescued_at.lock();
        if last.is_some_and(|last| now < last + RESCUE_INTERVAL) {
            return Ok(());
        }
        *last = Some(now);
    }
    let limit = RESCUE_MAX.min(shared.storage.capabilities().limits.batch_max);
    shared.storage.rescue(&shared.name, limit, &shared.policy).await.map(drop)
}

async fn give_back(shared: &Shared, job: &ClaimedJob) {
    let policy = Policy::default();
    for attempt in 0..RELEASES_MAX {
        let event = Event::release(job.token);
        match shared.storage.settle(&job.record.meta, event, &policy).await {
            Err(error) if error.is_transient() => sleep(RELEASE_PAUSE * 2_u32.pow(attempt)).await,
            // The job was given back, or only the lapse of its lease can give it back.
            _ => return,
        }
    }
}
