//! The claims of one handle: how much each may bring, how long the caller waits for its answer, and
//! how the jobs of a lost claim are given back.

use crate::{client::Shared, spawn};
use parking_lot::MutexGuard;
use queue_core::{
    Certainty, ClaimPortion, ClaimRequest, Claimed, Error, ErrorKind, LostClaim, Result, RetryPolicy, Span,
    Timestamp,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// How much longer than the call time-out of the store a claim waits for its answer, so that the
/// store can report the time-out itself.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// The pauses between two looks for the jobs of a lost claim.
const FIRST_LOOK: Duration = Duration::from_millis(50);
const SLOWEST_LOOK: Duration = Duration::from_secs(5);
/// The longest search for the jobs of a lost claim that had no `not_after`. A server that stands
/// still may begin such a claim whenever it goes on, so the search ends once the server has
/// answered.
const STANDSTILL_MAX: Duration = Duration::from_secs(3600);
/// How long a look waits for its answer.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// What a handle knows for its next claim.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    portion: ClaimPortion,
    /// The store time of the last answer, and when that answer came.
    told: Option<(Timestamp, Instant)>,
}

impl Claims {
    fn store_time(&self, now: Instant) -> Option<Timestamp> {
        let (told, at) = self.told?;
        Some(told + Span::new("a while", now.saturating_duration_since(at)).unwrap_or(Span::MAX))
    }
}

/// Makes one claim, whose caller waits for the answer until `until`. If the answer is lost, a task
/// of its own looks for the leased jobs and gives them back, uncharged.
pub(super) async fn claim(shared: &Arc<Shared>, limit: usize, until: Instant) -> Result<Claimed> {
    let listens = listens(shared, until);
    let request = request(shared, limit, listens);
    let limit = request.limit;
    let said_until = request.not_after.is_some();
    let lost = LostClaim::of(&request);
    let answer = timeout(listens, shared.storage.claim(request)).await;
    let answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
    match &answer {
        Ok(claimed) => note_answer(&mut claims(shared), claimed),
        Err(error) if error.certainty() == Certainty::Unknown => {
            // The answer may have been too large for the connection, so the next claim asks for
            // less.
            claims(shared).portion.halve(limit);
            let begun_by = if said_until { Instant::now() } else { Instant::now() + STANDSTILL_MAX };
            spawn::owned(find(shared.clone(), lost, begun_by + listens));
        }
        Err(_did_not_happen) => {}
    }
    answer
}

/// How long the caller waits: short enough that a part of the lease is left for finding the jobs of
/// a lost claim.
fn listens(shared: &Shared, until: Instant) -> Duration {
    let call = shared.storage.capabilities().call_timeout.saturating_add(ANSWER_MAX);
    let lease = shared.lease.as_duration() * 2 / 3;
    call.min(lease).min(until.saturating_duration_since(Instant::now()))
}

fn request(shared: &Shared, limit: usize, listens: Duration) -> ClaimRequest {
    let (portion, now) = {
        let claims = claims(shared);
        (claims.portion, claims.store_time(Instant::now()))
    };
    let limit = limit.min(portion.jobs());
    let (queue, worker) = (shared.name.clone(), shared.worker.clone());
    let request = ClaimRequest::new(queue, worker, limit, shared.lease, &*shared.rng);
    let listens = Span::new("a call", listens).unwrap_or(Span::MAX);
    ClaimRequest { bytes_max: portion.bytes(), not_after: now.map(|now| now + listens), ..request }
}

fn note_answer(claims: &mut Claims, claimed: &Claimed) {
    claims.told = Some((claimed.now, Instant::now()));
    if !claimed.jobs.is_empty() {
        claims.portion.double();
    }
}

/// Looks until the claim can lease nothing more, or until its leases have lapsed.
async fn find(shared: Arc<Shared>, mut lost: LostClaim, begun_by: Instant) {
    let lapses_at = begun_by + shared.storage.capabilities().call_timeout + shared.lease.as_duration();
    let pauses = RetryPolicy::exponential(FIRST_LOOK).cap(SLOWEST_LOOK);
    for look in 1.. {
        match timeout(LOOK_MAX, lost.give_back(&*shared.storage)).await {
            Ok(Ok(is_over)) if is_over => return,
            Ok(Err(error)) if !error.is_transient() => return,
            _ if Instant::now() >= lapses_at => return,
            _ => {}
        }
        sleep(pauses.delay(look, shared.rng.next_u64())).await;
    }
}

fn claims(shared: &Shared) -> MutexGuard<'_, Claims> {
    shared.claims.lock()
}

fn unanswered() -> Error {
    let message = "the store did not answer in time; what it still gives out goes back";
    Error::new(ErrorKind::Unavailable, "claim", message).unknown()
}
