//! Jobs of the source that are being processed.

use super::{HeldJobs, StoreCopy};
use queue_core::{
    Direction, Error, LeaseToken, ListQuery, QueueName, Result, State, Storage, StorageExt, Walk, WholeJob,
    lifecycle::{Event, Policy, TrackedJob, Verdict, apply, decide},
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const PAGE: usize = 1_000;
/// How often the source is asked whether its workers are done.
const LOOK_EVERY: Duration = Duration::from_millis(250);

impl StoreCopy {
    /// Whether jobs that are being processed are read as if given back.
    pub(super) fn gives_back(&self) -> bool {
        self.held == HeldJobs::GiveBack || self.is_dry
    }

    /// Refuses to go on while jobs are being processed, unless they are to be given back.
    pub(super) async fn refuse_held(&self, queue: &QueueName) -> Result<()> {
        if self.held == HeldJobs::GiveBack {
            return Ok(());
        }
        match count(&*self.from, queue).await? {
            0 => Ok(()),
            held => Err(Error::invalid(
                "copy",
                format!(
                    "{held} jobs of the queue {queue:?} are being processed; stop its workers and wait, or have the jobs given back"
                ),
            )),
        }
    }
}

/// How many jobs are being processed.
pub(super) async fn count(from: &dyn Storage, queue: &QueueName) -> Result<u64> {
    let walk = Walk::State(State::Processing, Direction::OldestFirst);
    let mut query = ListQuery::new(queue.clone(), walk, PAGE);
    let mut held = 0;
    loop {
        let page = from.list(query.clone()).await?;
        held += page.jobs.len() as u64;
        let Some(next) = page.next else { return Ok(held) };
        query.after = Some(next);
    }
}

/// Waits until no job is being processed, or until the time is over. Leases that have lapsed are
/// ended, since their workers may have ended.
pub(super) async fn wait_for_held(
    from: &dyn Storage,
    queue: &QueueName,
    longest: Duration,
    told: &mut (dyn FnMut(u64) + Send),
) -> Result<()> {
    let start = Instant::now();
    loop {
        from.rescue(queue, PAGE, &Policy::default()).await?;
        let held = count(from, queue).await?;
        if held == 0 || start.elapsed() >= longest {
            return Ok(());
        }
        told(held);
        sleep(LOOK_EVERY.min(longest)).await;
    }
}

/// The job as a release would have left it; `None` if it would have left none.
///
/// The rules come from the lifecycle. The time is the time of the claim, so that the same job is
/// the same again when the copy is run again.
pub(super) fn given_back(job: WholeJob) -> Option<WholeJob> {
    let claimed_at = job.meta.claimed_at.unwrap_or(job.meta.created_at);
    let token = LeaseToken::from_bytes([0; 16]);
    let event = Event::Release { token, then: Vec::new() };
    let Ok(transition) = decide(&job.meta, event, &Policy::default()) else { return Some(job) };
    let mut tracked = TrackedJob { token: Some(token), ..TrackedJob::new(job.meta) };
    match apply(&mut tracked, &transition, claimed_at) {
        Verdict::Removed => None,
        _ => Some(WholeJob { meta: tracked.meta, ..job }),
    }
}
