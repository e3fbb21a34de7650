//! Gives back what no worker will ever hear of, uncharged.

use crate::service::App;
use queue_core::{
    Applied, ClaimedJob, LostClaim, RetryPolicy, StorageExt,
    lifecycle::{Event, Policy, Transition, decide},
};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How often the give-back of a job is tried while the store fails. After that its lease has to
/// lapse.
const TRIES_MAX: u32 = 5;
/// The wait after the first try; it doubles.
const PAUSE: Duration = Duration::from_millis(100);

/// The pauses between two looks for the jobs of a lost claim.
const FIRST_LOOK: Duration = Duration::from_millis(50);
const SLOWEST_LOOK: Duration = Duration::from_secs(5);
/// How long a look waits for its answer.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// Gives jobs back that were claimed and not delivered.
pub(super) async fn give_back(app: &App, jobs: &[ClaimedJob]) {
    for attempt in 0..TRIES_MAX {
        let (sent, batch): (Vec<_>, Vec<_>) = jobs.iter().filter_map(released).unzip();
        match app.storage.apply(batch).await {
            Ok(answers) => {
                for (job, answer) in sent.into_iter().zip(answers.value) {
                    if let Applied::Stale(moved) = answer {
                        let event = Event::release(job.token);
                        drop(app.storage.settle(&moved, event, &Policy::default()).await);
                    }
                }
                return;
            }
            Err(error) if error.is_transient() => sleep(PAUSE * 2_u32.pow(attempt)).await,
            Err(error) => return tracing::warn!(%error, "jobs that no worker heard of stay leased"),
        }
    }
}

fn released(job: &ClaimedJob) -> Option<(&ClaimedJob, Transition)> {
    Some((job, decide(&job.record.meta, Event::release(job.token), &Policy::default()).ok()?))
}

/// Looks for the jobs of a claim whose answer was lost between the store and this service, until
/// the claim can lease nothing more, or until its leases have lapsed.
pub(super) async fn find(app: &App, mut lost: LostClaim, lease: Duration) {
    let lapses_at = Instant::now() + app.storage.capabilities().call_timeout + lease;
    let pauses = RetryPolicy::exponential(FIRST_LOOK).cap(SLOWEST_LOOK);
    for look in 1.. {
        match timeout(LOOK_MAX, lost.give_back(&*app.storage)).await {
            Ok(Ok(is_over)) if is_over => return,
            Ok(Err(error)) if !error.is_transient() => return,
            _ if Instant::now() >= lapses_at || app.tasks.is_closing() => return,
            _ => {}
        }
        sleep(pauses.delay(look, app.rng.next_u64())).await;
    }
}
