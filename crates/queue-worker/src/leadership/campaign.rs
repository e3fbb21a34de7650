//! The claims of a candidate, until it leads.

use super::{LeadershipEvent, leader::Candidate};
use crate::{
    hint_subscription::HintSubscription,
    single::{SingleClaims, note_nothing, rest},
};
use queue_core::{
    Budget, ClaimedJob, ContentType, JobId, Kind, NewJob, OnFailed, Payload, Result, asking::NextAsk,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A claim that made this candidate the leader.
#[derive(Debug)]
pub(super) struct ElectionWin {
    pub(super) job: ClaimedJob,
    /// By this process's clock, counted from before the claim was sent.
    pub(super) lapses_at: Instant,
}

/// Claims until the candidate wins; `None` once it is to leave.
pub(super) async fn campaign(
    candidate: &Candidate,
    leave: &CancellationToken,
) -> Result<Option<ElectionWin>> {
    let mut hints = HintSubscription::default();
    let mut claims = candidate.claims();
    let mut next_ask = NextAsk::for_claims(candidate.poll_interval);
    while !leave.is_cancelled() {
        hints.forget();
        // An error that matters comes back with the claim.
        let _none_yet = hints.subscribe(&candidate.storage, &candidate.queue);
        match hints.beside(attempt(candidate, &mut claims, &mut next_ask)).await {
            Ok(Some(won)) => return Ok(Some(won)),
            Ok(None) => {}
            Err(error) if error.is_transient() => {
                next_ask.failed(Instant::now().into_std(), &*candidate.rng);
                candidate.listener.tell(&LeadershipEvent::Error(error));
            }
            Err(error) => return Err(error),
        }
        rest(&mut next_ask, &mut hints, &*candidate.rng, leave).await;
    }
    drop(hints);
    claims.give_back().await;
    Ok(None)
}

/// Makes one claim; `None` if another candidate leads or the claim is to be repeated. When that is
/// worth while is noted.
async fn attempt(
    candidate: &Candidate,
    claims: &mut SingleClaims<'_>,
    next_ask: &mut NextAsk,
) -> Result<Option<ElectionWin>> {
    let (mut claimed, lapses_at) = claims.claim().await?;
    if let Some(job) = claimed.jobs.pop() {
        // An answer may come so late that the term is over before it begins. Then the next claim
        // follows at once.
        next_ask.wake();
        return Ok(Some(ElectionWin { job, lapses_at }).filter(|_| Instant::now() < lapses_at));
    }
    let is_new = claimed.next_due.is_none() && !claimed.pause.is_on() && begin(candidate).await?;
    note_nothing(next_ask, &claimed, &*candidate.rng);
    if is_new {
        next_ask.wake();
    }
    Ok(None)
}

/// Stores the election's job; false if it is there already.
async fn begin(candidate: &Candidate) -> Result<bool> {
    let answers = candidate.storage.enqueue(&candidate.queue, vec![vec![election_job()]]).await?;
    Ok(answers.value.iter().flatten().any(queue_core::Enqueued::is_new))
}

/// The job of an election. It never fails for good, however many leaders die.
fn election_job() -> NewJob {
    let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
    NewJob::new(JobId::from_static("leader"), Kind::from_static("leader"), payload)
        .with_max_attempts(Budget::Unlimited)
        .with_max_stalls(Budget::Unlimited)
        .with_on_failed(OnFailed::Replace)
}
