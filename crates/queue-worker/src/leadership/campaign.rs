use super::{LeadershipEvent, leader::Candidate};
use crate::{
    single::{SingleClaims, pause_after, rest},
    worker::{
        backoff::{after_error, jittered},
        hints::Hints,
    },
};
use queue_core::{Budget, ClaimedJob, ContentType, JobId, Kind, NewJob, OnFailed, Payload, Result};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

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

/// Claims until it wins; `None` once it is to leave.
pub(super) async fn campaign(candidate: &Candidate, leave: &CancellationToken) -> Result<Option<Won>> {
    let (mut hints, mut errors, mut claims) = (Hints::default(), 0, candidate.claims());
    while !leave.is_cancelled() {
        // An error that matters comes back with the claim.
        let _none_yet = hints.subscribe(&candidate.storage, &candidate.queue);
        let pause = match hints.beside(attempt(candidate, &mut claims)).await {
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
        leave.run_until_cancelled(hints.beside(sleep(pause))).await;
    }
    drop(hints);
    claims.give_back().await;
    Ok(None)
}

async fn attempt(candidate: &Candidate, claims: &mut SingleClaims<'_>) -> Result<Attempt> {
    let (mut claimed, lapses_at) = claims.claim().await?;
    if let Some(job) = claimed.jobs.pop() {
        // An answer may come so late that the term is over before it began.
        let is_over = Instant::now() >= lapses_at;
        return Ok(if is_over {
            Attempt::Wait(Duration::ZERO)
        } else {
            Attempt::Won(Box::new(Won { job, lapses_at }))
        });
    }
    if claimed.next_due.is_none() && !claimed.paused && begin(candidate).await? {
        return Ok(Attempt::Wait(Duration::ZERO));
    }
    Ok(Attempt::Wait(pause_after(&claimed, jittered(candidate.poll_interval, &*candidate.rng))))
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
