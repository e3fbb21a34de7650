use super::{LeadershipEvent, leader::Candidate};
use crate::worker::{
    backoff::{after_error, jittered},
    hints::{Heard, Hints},
};
use queue_core::{
    Budget, ClaimRequest, ClaimedJob, ContentType, JobId, Kind, NewJob, OnFailed, Payload, Result,
    RetryPolicy, Span, StorageExt, lifecycle::Policy,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// A lapse that was promised for now may be a moment away: asking again at once would only load the store.
const ASK_AGAIN_MIN: Duration = Duration::from_millis(10);

/// A claim that made this candidate the leader.
#[derive(Debug)]
pub(super) struct Won {
    pub(super) job: ClaimedJob,
    /// By this process's clock, counted from before the claim was sent.
    pub(super) lapses_at: Instant,
}

/// What one attempt came to.
enum Attempt {
    Won(Box<Won>),
    /// Somebody else leads; there is no use in asking sooner.
    Wait(Duration),
}

/// Claims until it wins; `None` once it is to leave. Claims are not interrupted, since a dropped one might have won.
pub(super) async fn campaign(candidate: &Candidate, leave: &CancellationToken) -> Result<Option<Won>> {
    let (mut hints, mut errors) = (Hints::default(), 0);
    while !leave.is_cancelled() {
        // An error that matters comes back with the claim.
        let _none_yet = hints.subscribe(&candidate.storage, &candidate.queue);
        let pause = match attempt(candidate).await {
            Ok(Attempt::Won(won)) => return Ok(Some(*won)),
            Ok(Attempt::Wait(pause)) => {
                errors = 0;
                rest(&mut hints, pause, leave).await;
                continue;
            }
            Err(error) if error.is_transient() => {
                errors += 1;
                candidate.listener.tell(&LeadershipEvent::Error(error));
                after_error(errors, &*candidate.rng)
            }
            Err(error) => return Err(error),
        };
        leave.run_until_cancelled(sleep(pause)).await;
    }
    Ok(None)
}

async fn attempt(candidate: &Candidate) -> Result<Attempt> {
    let Candidate { storage, queue, lease, id, rng, .. } = candidate;
    let lapses_at = Instant::now() + lease.as_duration();
    let request = ClaimRequest::new(queue.clone(), id.clone(), 1, *lease, &**rng);
    let claimed = storage.claim_or_rescue(request, &policy(), &**rng).await?;
    if let Some(job) = claimed.jobs.into_iter().next() {
        // An answer may come so late that the term is over before it began.
        let is_over = Instant::now() >= lapses_at;
        return Ok(if is_over {
            Attempt::Wait(Duration::ZERO)
        } else {
            Attempt::Won(Box::new(Won { job, lapses_at }))
        });
    }
    let poll = jittered(candidate.poll_interval, &**rng);
    match claimed.next_due {
        None if !claimed.paused && begin(candidate).await? => Ok(Attempt::Wait(Duration::ZERO)),
        None => Ok(Attempt::Wait(poll)),
        Some(_) if claimed.paused => Ok(Attempt::Wait(poll)),
        Some(at) => Ok(Attempt::Wait(at.since(claimed.now).max(ASK_AGAIN_MIN).min(poll))),
    }
}

/// Stores the election's job; false if it is there already.
async fn begin(candidate: &Candidate) -> Result<bool> {
    let answers = candidate.storage.enqueue(&candidate.queue, vec![vec![election_job()]]).await?;
    Ok(answers.value.iter().flatten().any(queue_core::Enqueued::is_new))
}

/// Never fails for good, however many leaders die.
fn election_job() -> NewJob {
    let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
    NewJob::new(JobId::from_static("leader"), Kind::from_static("leader"), payload)
        .with_max_attempts(Budget::Unlimited)
        .with_max_stalls(Budget::Unlimited)
        .with_on_failed(OnFailed::Replace)
}

/// A seat that fell vacant is open at once.
pub(super) fn policy() -> Policy {
    Policy { stall: RetryPolicy::Fixed(Span::ZERO), ..Policy::default() }
}

/// Waits, unless a hint comes or the candidate leaves.
async fn rest(hints: &mut Hints, pause: Duration, leave: &CancellationToken) {
    let ended = tokio::select! {
        biased;
        () = leave.cancelled() => false,
        heard = hints.next() => !matches!(heard, Heard::Hint),
        () = sleep(pause) => false,
    };
    if ended {
        leave.run_until_cancelled(sleep(pause)).await;
    }
}
