//! Claims of one job at a time, for candidates of an election and for callers that wait for a
//! permit.

use crate::hint_subscription::{HintNews, HintSubscription};
use queue_core::{
    Certainty, ClaimRequest, Claimed, Error, ErrorKind, LostClaim, QueueName, Result, RetryPolicy, Rng, Span,
    Storage, StorageExt, WorkerId,
    asking::{AfterClaim, NextAsk},
    lifecycle::Policy,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// The shortest lease that a holder can keep alive.
const LEASE_MIN: Duration = Duration::from_millis(10);
/// The shortest time between two claims. A lapse that was promised for now may be a moment away,
/// and asking again at once would only load the store.
const ASK_AGAIN_MIN: Duration = Duration::from_millis(10);
/// Most claims without an answer that are looked for.
const LOST_MAX: usize = 16;

/// Where to claim and under which name, and the claims whose answers were lost.
#[derive(Debug)]
pub(crate) struct SingleClaims<'a> {
    pub(crate) storage: &'a Arc<dyn Storage>,
    pub(crate) queue: &'a QueueName,
    pub(crate) lease: Span,
    pub(crate) id: &'a WorkerId,
    pub(crate) rng: &'a dyn Rng,
    pub(crate) lost: Vec<LostClaim>,
}

impl SingleClaims<'_> {
    /// Claims. Where a lease has lapsed it rescues, and claims once more. The answer also says when
    /// the lease of the claimed job lapses, by this process's clock and counted from before the
    /// claim was sent.
    pub(crate) async fn claim(&mut self) -> Result<(Claimed, Instant)> {
        self.give_back().await;
        let (claimed, lapses_at) = self.send().await?;
        let is_overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
        if claimed.jobs.is_empty() && is_overdue && !claimed.pause.is_on() {
            self.storage.rescue(self.queue, 1, &policy()).await?;
            return self.send().await;
        }
        Ok((claimed, lapses_at))
    }

    /// Sends a claim. The claim is not interrupted, since it might have brought a job. A claim
    /// whose answer is lost is noted.
    async fn send(&mut self) -> Result<(Claimed, Instant)> {
        let lapses_at = Instant::now() + self.lease.as_duration();
        let request = ClaimRequest::new(self.queue.clone(), self.id.clone(), 1, self.lease, self.rng);
        let noted = LostClaim::of(&request);
        let answer = timeout(self.lease.as_duration() * 2 / 3, self.storage.claim(request)).await;
        let answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
        if answer.as_ref().is_err_and(|error| error.certainty() == Certainty::Unknown) {
            // The leases of the earliest have long lapsed.
            self.lost.drain(..(self.lost.len() + 1).saturating_sub(LOST_MAX));
            self.lost.push(noted);
        }
        Ok((answer?, lapses_at))
    }

    /// Gives back what claims without an answer leased, so that no caller has to wait for the
    /// lapse.
    pub(crate) async fn give_back(&mut self) {
        let each_max = self.lease.as_duration() / 3;
        for claim in std::mem::take(&mut self.lost) {
            let mut claim = claim;
            if !matches!(timeout(each_max, claim.give_back(&**self.storage)).await, Ok(Ok(true))) {
                self.lost.push(claim);
            }
        }
    }
}

/// Refuses a lease that no holder could keep alive, or that store time cannot hold. `build` is the
/// operation that the error names.
pub(crate) fn checked_lease(build: &'static str, lease: Duration) -> Result<Span> {
    let span = Span::positive("lease", lease)?;
    if lease < LEASE_MIN {
        return Err(Error::invalid(build, "a lease must last at least 10 ms"));
    }
    Ok(span)
}

/// A policy by which a job whose holder died is open at once.
pub(crate) fn policy() -> Policy {
    Policy::default().stall(RetryPolicy::Fixed(Duration::ZERO))
}

/// Notes that a claim brought nothing. Where a lease has lapsed, a rescue has followed already.
pub(crate) fn note_nothing(next_ask: &mut NextAsk, claimed: &Claimed, rng: &dyn Rng) {
    let now = Instant::now();
    let _rescued: AfterClaim = next_ask.claimed(now.into_std(), claimed, 0, 1, rng);
    next_ask.no_sooner_than((now + ASK_AGAIN_MIN).into_std());
}

/// Waits until it is worth asking, or until the caller leaves. A subscription in progress is polled
/// meanwhile.
pub(crate) async fn rest(
    next_ask: &mut NextAsk,
    hints: &mut HintSubscription,
    rng: &dyn Rng,
    leave: &CancellationToken,
) {
    let rests = async {
        while let Some(until) = next_ask.rests_until() {
            if !next_ask.listens() {
                return hints.beside(sleep_until(until.into())).await;
            }
            tokio::select! {
                biased;
                heard = hints.next() => note_heard(next_ask, heard, rng),
                () = sleep_until(until.into()) => return,
            }
        }
    };
    leave.run_until_cancelled(rests).await;
}

/// Notes what came of a subscription. An error is left out: one that matters comes back with the
/// next claim.
fn note_heard(next_ask: &mut NextAsk, heard: HintNews, rng: &dyn Rng) {
    let now = Instant::now().into_std();
    match heard {
        HintNews::Hint(hint) => next_ask.hinted(now, &hint),
        HintNews::Ended => next_ask.stream_ended(now, rng),
        HintNews::Refused(_) => {}
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "claim", "the store did not answer").unknown()
}
