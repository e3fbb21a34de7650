//! Claims of one job at a time, by what is no worker: candidates of an election, and those who wait for a permit.

use crate::worker::hints::{Heard, Hints};
use queue_core::{
    Certainty, ClaimRequest, Claimed, Error, ErrorKind, LostClaim, QueueName, Result, RetryPolicy, Rng, Span,
    Storage, StorageExt, WorkerId, lifecycle::Policy,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The shortest lease that its holder can keep alive.
const LEASE_MIN: Duration = Duration::from_millis(10);
/// A lapse that was promised for now may be a moment away: asking again at once would only load the store.
const ASK_AGAIN_MIN: Duration = Duration::from_millis(10);
/// Most claims without an answer that are looked for.
const LOST_MAX: usize = 16;

/// Where and as whom to claim, and the claims whose answers were lost.
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
    /// Claims, once more behind a rescue where a lease has lapsed. Answers also when what it brought lapses, by this process's
    /// clock and counted from before the claim was sent.
    pub(crate) async fn claim(&mut self) -> Result<(Claimed, Instant)> {
        self.give_back().await;
        let (claimed, lapses_at) = self.send().await?;
        let is_overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
        if claimed.jobs.is_empty() && is_overdue && !claimed.paused {
            self.storage.rescue(self.queue, 1, &policy()).await?;
            return self.send().await;
        }
        Ok((claimed, lapses_at))
    }

    /// It is not interrupted, since it might have brought something; one whose answer is lost is noted.
    async fn send(&mut self) -> Result<(Claimed, Instant)> {
        let lapses_at = Instant::now() + self.lease.as_duration();
        let request = ClaimRequest::new(self.queue.clone(), self.id.clone(), 1, self.lease, self.rng);
        let noted = LostClaim::of(&request);
        let answer = timeout(self.lease.as_duration() * 2 / 3, self.storage.claim(request)).await;
        let answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
        if answer.as_ref().is_err_and(|error| error.certainty() == Certainty::Unknown) {
            // Those that came first have long lapsed.
            self.lost.drain(..(self.lost.len() + 1).saturating_sub(LOST_MAX));
            self.lost.push(noted);
        }
        Ok((answer?, lapses_at))
    }

    /// Gives back what a claim without an answer took, so that nobody has to wait for its lapse.
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

/// Refuses a lease that nobody could keep alive, or that store time cannot hold. `build` names who is built in the error.
pub(crate) fn checked_lease(build: &'static str, lease: Duration) -> Result<Span> {
    let span = Span::positive("lease", lease)?;
    if lease < LEASE_MIN {
        return Err(Error::invalid(build, "a lease must last at least 10 ms"));
    }
    Ok(span)
}

/// A job whose holder has gone is open at once.
pub(crate) fn policy() -> Policy {
    Policy::default().stall(RetryPolicy::Fixed(Duration::ZERO))
}

/// How long to wait after a claim that brought nothing, unless a hint comes.
pub(crate) fn pause_after(claimed: &Claimed, poll: Duration) -> Duration {
    match claimed.next_due {
        Some(at) if !claimed.paused => at.since(claimed.now).max(ASK_AGAIN_MIN).min(poll),
        _ => poll,
    }
}

/// Waits, unless a hint comes or nobody wants it any more.
pub(crate) async fn rest(hints: &mut Hints, pause: Duration, leave: &CancellationToken) {
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

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "claim", "the store did not answer").unknown()
}
