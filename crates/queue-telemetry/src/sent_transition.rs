//! The meaning of a transition for the counters: read before it is sent, used when it is answered.

use crate::words::{AttemptOutcome, Operation};
use queue_core::{
    JobMeta, Reason, State,
    lifecycle::{Lapse, Patch, Proof, Settle, Transition},
};

/// What the layer remembers of a transition while the store applies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentTransition {
    pub(crate) change: SentChange,
    /// Why the attempt was the last one, if the transition says so.
    pub(crate) reason: Option<Reason>,
    /// How many jobs the transition enqueues as followers.
    pub(crate) followers: usize,
}

/// What a transition would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentChange {
    /// The holder of the lease ends the attempt with this outcome.
    Settle(AttemptOutcome),
    /// The holder of the lease ends the attempt and removes the record in the same call.
    Removal(Settle),
    /// A lapsed lease ends the attempt with this outcome.
    Rescue(AttemptOutcome),
    Extension,
    /// Any change of a job that no worker holds, and a mark on one that a worker holds.
    Other,
}

impl SentTransition {
    pub(crate) fn of(transition: &Transition) -> Self {
        let reason = match &transition.patch {
            Patch::Finish(finish) => finish.reason,
            _ => None,
        };
        let change = change(transition);
        // A removed job has no record that could hold the reason, so it is set here.
        let is_stalled = change == SentChange::Rescue(AttemptOutcome::Failed);
        let reason = reason.or(is_stalled.then_some(Reason::Stalled));
        Self { change, reason, followers: transition.then.len() }
    }

    pub(crate) const fn operation(&self) -> Operation {
        match self.change {
            SentChange::Settle(_) | SentChange::Removal(_) => Operation::Settle,
            SentChange::Extension => Operation::Extend,
            SentChange::Rescue(_) | SentChange::Other => Operation::Change,
        }
    }

    /// Whether only the holder of the lease may send it.
    pub(crate) const fn is_by_holder(&self) -> bool {
        matches!(self.change, SentChange::Settle(_) | SentChange::Removal(_) | SentChange::Extension)
    }

    /// How the attempt ended once the store has applied the transition; `None` if no attempt ended.
    pub(crate) fn ended(&self, after: &JobMeta) -> Option<AttemptOutcome> {
        let outcome = match self.change {
            SentChange::Settle(outcome) | SentChange::Rescue(outcome) => outcome,
            SentChange::Removal(settle) => removed(settle, after.cancel_requested),
            SentChange::Extension | SentChange::Other => return None,
        };
        // Schedules and other jobs of the library run forever, so only their failures are counted.
        (!after.kind.is_reserved() || outcome == AttemptOutcome::Failed).then_some(outcome)
    }
}

fn change(transition: &Transition) -> SentChange {
    match (&transition.guard.proof, &transition.patch) {
        (Proof::Lease { settle: None, .. }, _) => SentChange::Extension,
        (Proof::Lease { settle: Some(settle), .. }, Patch::Remove) => SentChange::Removal(*settle),
        (Proof::Lease { .. }, Patch::Finish(finish)) => {
            SentChange::Settle(AttemptOutcome::of_end(finish.state))
        }
        (Proof::Lease { settle: Some(Settle::Fail), .. }, _) => SentChange::Settle(AttemptOutcome::Failing),
        (Proof::Lease { .. }, _) => SentChange::Settle(AttemptOutcome::Released),
        (Proof::Revision(_), patch) if transition.guard.lapse == Lapse::Lapsed => {
            SentChange::Rescue(rescued(patch))
        }
        // A lease that was given back because no worker knew about it.
        (Proof::Revision(_), Patch::Requeue(_)) if transition.guard.state == State::Processing => {
            SentChange::Settle(AttemptOutcome::Released)
        }
        (Proof::Revision(_), _) => SentChange::Other,
    }
}

/// A lapsed job with a cancel request may be removed too, and then counts as failed: the patch does
/// not say which of the two it was.
fn rescued(patch: &Patch) -> AttemptOutcome {
    match patch {
        Patch::Finish(finish) => AttemptOutcome::of_end(finish.state),
        Patch::Remove => AttemptOutcome::Failed,
        _ => AttemptOutcome::Stalled,
    }
}

fn removed(settle: Settle, cancel_requested: bool) -> AttemptOutcome {
    match settle {
        Settle::Complete => AttemptOutcome::Completed,
        Settle::Fail if !cancel_requested => AttemptOutcome::Failed,
        Settle::Fail | Settle::Release | Settle::Snooze | Settle::Suspend | Settle::Expire => {
            AttemptOutcome::Cancelled
        }
    }
}
