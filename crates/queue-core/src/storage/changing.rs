//! Decides on a job as it was read, applies, and decides again while the job moves.

use crate::{
    Applied, Error, ErrorKind, Headers, JobMeta, Result, Storage,
    lifecycle::{Event, Policy, Rejected, decide},
};

/// How often a decision is repeated because the record has changed, before the answer is
/// `Conflict`.
pub const RE_DECIDES_MAX: usize = 8;

/// How many lives of one id a change meets, each replaced before the change could be applied,
/// before the answer is `Conflict`. Producers that replace the job as fast as they can win about
/// every second race.
pub const LIVES_MAX: usize = 64;

/// The result of an event that was decided and applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The change is done; the record is as it was after the change.
    Done(JobMeta),
    /// The lease was lost. Final.
    LeaseLost(JobMeta),
    /// The event changes nothing in the job in its present state.
    Rejected(Rejected),
    /// There is no such job, or the life of it that a settle is for was removed.
    Missing,
}

/// Decides and applies until the record has not changed in between; `None` after the last try.
pub(super) async fn until_it_rests<S: Storage + ?Sized>(
    store: &S,
    mut seen: JobMeta,
    headers: &Headers,
    event: &Event,
    policy: &Policy,
) -> Result<Option<Changed>> {
    for _ in 0..RE_DECIDES_MAX {
        match step(store, &seen, headers, event.clone(), policy).await? {
            ChangeStep::Ended(changed) => return Ok(Some(changed)),
            ChangeStep::Moved(meta) => seen = meta,
        }
    }
    Ok(None)
}

/// The error of a call whose decisions were all made on a record that had changed meanwhile.
pub(super) fn kept_moving(operation: &'static str) -> Error {
    Error::new(ErrorKind::Conflict, operation, "the record kept moving; read it and decide afresh")
}

/// The error of a change that found every life replaced before it could be changed.
pub(super) fn kept_replaced(operation: &'static str) -> Error {
    let message = "producers kept replacing the job, and nothing was changed; try again";
    Error::new(ErrorKind::Conflict, operation, message)
}

enum ChangeStep {
    Ended(Changed),
    Moved(JobMeta),
}

/// Decides on the job as it was read, and applies.
async fn step<S: Storage + ?Sized>(
    store: &S,
    seen: &JobMeta,
    headers: &Headers,
    event: Event,
    policy: &Policy,
) -> Result<ChangeStep> {
    let mut transition = match decide(seen, event, policy) {
        Ok(transition) => transition,
        Err(rejected) => return Ok(ChangeStep::Ended(Changed::Rejected(rejected))),
    };
    // Traces are added once the decision has fixed which jobs follow.
    headers.trace_on(&mut transition.then);
    let applied = store.apply(vec![transition]).await?.value;
    Ok(match applied.into_iter().next() {
        Some(Applied::Done(meta)) => ChangeStep::Ended(Changed::Done(meta)),
        Some(Applied::LeaseLost(meta)) => ChangeStep::Ended(Changed::LeaseLost(meta)),
        Some(Applied::Stale(meta)) => ChangeStep::Moved(meta),
        Some(Applied::Missing) => ChangeStep::Ended(Changed::Missing),
        None => {
            return Err(Error::new(
                ErrorKind::Internal,
                "apply",
                "the store answered fewer items than it got",
            ));
        }
    })
}
