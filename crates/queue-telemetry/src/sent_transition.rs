//! What a transition means for the counters: read before it is sent, used when it is answered.

use crate::words::{AttemptOutcome, Operation};
use queue_core::{
    JobMeta, Reason, State,
    lifecycle::{Lapse, Patch, Proof, Settle, Transition},
};

/// What is kept of a transition while the store has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentTransition {
    pub(crate) change: SentChange,
    /// Why the attempt was the last one, as far as the transition says so.
    pub(crate) reason: Option<Reason>,
    /// How many jobs follow.
    pub(crate) followers: usize,
}

/// What a transition would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentChange {
    /// Its holder ends the attempt so.
    Settle(AttemptOutcome),
    /// Its holder ends the attempt, and the record goes at once.
    Removal(Settle),
    /// A lapse ends the attempt so.
    Rescue(AttemptOutcome),
    Extension,
    /// Somebody changes a job that nobody works on, or marks one.
    Other,
}

impl SentTransition {
    pub(crate) fn of(transition: &Transition) -> Self {
        let reason = match &transition.patch {
            Patch::Finish(finish) => finish.reason,
            _ => None,
        };
        let change = change(transition);
        // What is removed has nowhere to say why.
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

    /// Whether only the holder of the lease sends it.
    pub(crate) const fn is_by_holder(&self) -> bool {
        matches!(self.change, SentChange::Settle(_) | SentChange::Removal(_) | SentChange::Extension)
    }

    /// How the attempt ended, now that the store has it; `None` if none ended.
    pub(crate) fn ended(&self, after: &JobMeta) -> Option<AttemptOutcome> {
        let outcome = match self.change {
            SentChange::Settle(outcome) | SentChange::Rescue(outcome) => outcome,
            SentChange::Removal(settle) => removed(settle, after.cancel_requested),
            SentChange::Extension | SentChange::Other => return None,
        };
        // Schedules and other jobs of the library run for ever: only their failures are news.
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
        // A lease that was given back, since no worker knew of it.
        (Proof::Revision(_), Patch::Requeue(_)) if transition.guard.state == State::Processing => {
            SentChange::Settle(AttemptOutcome::Released)
        }
        (Proof::Revision(_), _) => SentChange::Other,
    }
}

/// A job that a lapse removes may have been cancelled instead; its record is gone either way.
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
        Settle::Fail | Settle::Release | Settle::Snooze | Settle::Expire => AttemptOutcome::Cancelled,
    }
}
