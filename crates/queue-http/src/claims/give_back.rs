//! Returns jobs that no worker will learn about, without charging the attempt.

use crate::service::App;
use queue_core::{ClaimedJob, LostClaim, RetryPolicy, lifecycle::Withdrawal};
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

/// Gives jobs back that were claimed and not delivered. Those whose claim was repeated meanwhile,
/// here or at another server, have a longer lease by now, and stay.
pub(super) async fn give_back(app: &App, jobs: &[ClaimedJob]) {
    let mut undelivered: Vec<_> = jobs.iter().filter_map(|job| Withdrawal::of(&job.record.meta)).collect();
    for attempt in 0..TRIES_MAX {
        if undelivered.is_empty() {
            return;
        }
        let batch = undelivered.iter().map(|lease| lease.transition().clone()).collect();
        match app.storage.apply(batch).await {
            Ok(answers) => {
                let pairs = undelivered.iter().zip(&answers.value);
                undelivered = pairs.filter_map(|(lease, answer)| lease.again(answer)).collect();
            }
            Err(error) if error.is_transient() => sleep(PAUSE * 2_u32.pow(attempt)).await,
            Err(error) => return tracing::warn!(%error, "jobs that no worker knows of stay leased"),
        }
    }
}

/// Looks for the jobs of a claim whose answer was lost, until the claim can lease nothing more, or
/// until the leases have lapsed of what it leases within `begins_for`.
pub(super) async fn find(app: &App, mut lost: LostClaim, begins_for: Duration, lease: Duration) {
    let lapses_at = Instant::now() + begins_for + app.storage.capabilities().call_timeout + lease;
    let pauses = RetryPolicy::exponential(FIRST_LOOK).cap(SLOWEST_LOOK.min(lease / 3));
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
