use super::{LeadershipEvent, leader::Candidate};
use crate::worker::{
    backoff::{after_error, jittered},
    hints::{Heard, Hints},
};
use queue_core::{
    Budget, Certainty, ClaimRequest, Claimed, ClaimedJob, ContentType, Error, ErrorKind, JobId, Kind,
    LostClaim, NewJob, OnFailed, Payload, Result, RetryPolicy, StorageExt, lifecycle::Policy,
};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// A lapse that was promised for now may be a moment away: asking again at once would only load the store.
const ASK_AGAIN_MIN: Duration = Duration::from_millis(10);

/// Most claims without an answer that are looked for.
const LOST_MAX: usize = 16;

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
    let (mut hints, mut errors, mut lost) = (Hints::default(), 0, Vec::new());
    while !leave.is_cancelled() {
        // An error that matters comes back with the claim.
        let _none_yet = hints.subscribe(&candidate.storage, &candidate.queue);
        let pause = match hints.beside(attempt(candidate, &mut lost)).await {
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
    give_back(candidate, &mut lost).await;
    Ok(None)
}

async fn attempt(candidate: &Candidate, lost: &mut Vec<LostClaim>) -> Result<Attempt> {
    give_back(candidate, lost).await;
    let (mut claimed, mut lapses_at) = claim(candidate, lost).await?;
    let is_overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if claimed.jobs.is_empty() && is_overdue && !claimed.paused {
        candidate.storage.rescue(&candidate.queue, 1, &policy()).await?;
        (claimed, lapses_at) = claim(candidate, lost).await?;
    }
    if let Some(job) = claimed.jobs.into_iter().next() {
        // An answer may come so late that the term is over before it began.
        let is_over = Instant::now() >= lapses_at;
        return Ok(if is_over {
            Attempt::Wait(Duration::ZERO)
        } else {
            Attempt::Won(Box::new(Won { job, lapses_at }))
        });
    }
    let poll = jittered(candidate.poll_interval, &*candidate.rng);
    match claimed.next_due {
        None if !claimed.paused && begin(candidate).await? => Ok(Attempt::Wait(Duration::ZERO)),
        None => Ok(Attempt::Wait(poll)),
        Some(_) if claimed.paused => Ok(Attempt::Wait(poll)),
        Some(at) => Ok(Attempt::Wait(at.since(claimed.now).max(ASK_AGAIN_MIN).min(poll))),
    }
}

/// One claim, and when what it won lapses. It is not interrupted by a leave, since it might have won; one whose answer is
/// lost is noted.
async fn claim(candidate: &Candidate, lost: &mut Vec<LostClaim>) -> Result<(Claimed, Instant)> {
    let Candidate { storage, queue, lease, id, rng, .. } = candidate;
    let lapses_at = Instant::now() + lease.as_duration();
    let request = ClaimRequest::new(queue.clone(), id.clone(), 1, *lease, &**rng);
    let noted = LostClaim::of(&request);
    let answer = timeout(lease.as_duration() * 2 / 3, storage.claim(request)).await;
    let answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
    if answer.as_ref().is_err_and(|error| error.certainty() == Certainty::Unknown) {
        // Those that came first have long lapsed.
        lost.drain(..(lost.len() + 1).saturating_sub(LOST_MAX));
        lost.push(noted);
    }
    Ok((answer?, lapses_at))
}

/// Gives back a seat that a claim without an answer took, so that nobody has to wait for its lapse.
async fn give_back(candidate: &Candidate, lost: &mut Vec<LostClaim>) {
    let each_max = candidate.lease.as_duration() / 3;
    for claim in std::mem::take(lost) {
        let mut claim = claim;
        if !matches!(timeout(each_max, claim.give_back(&*candidate.storage)).await, Ok(Ok(true))) {
            lost.push(claim);
        }
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "claim", "the store did not answer").unknown()
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
    Policy::default().stall(RetryPolicy::Fixed(Duration::ZERO))
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
