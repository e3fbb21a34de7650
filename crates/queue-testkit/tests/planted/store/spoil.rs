//! Defects in what a transition compares and writes.

use crate::defect::Defect;
use queue_core::{
    ContentType, FailedJob, JobMeta, JobTerms, LeaseToken, NewJob, Payload, Reason, State,
    lifecycle::{
        Amend, Finish, Guard, Lapse, LastSettle, Patch, Proof, Purge, Requeue, RunAt, Settle, TrackedJob,
        Transition,
    },
};

/// Weakens the guard, or the memory that it is compared with.
pub(super) fn guard(defect: Defect, job: &mut TrackedJob, guard: &mut Guard) {
    match (defect, &mut guard.proof) {
        (Defect::AnyToken, Proof::Lease { token, epoch, .. }) => {
            (*token, *epoch) = (job.token.unwrap_or(*token), job.meta.epoch);
        }
        (Defect::EpochIgnored, Proof::Lease { epoch, .. }) => *epoch = job.meta.epoch,
        (Defect::FlagsIgnored, Proof::Lease { flags, .. }) => *flags = None,
        (Defect::OutcomeOverwritten, Proof::Lease { token, settle: Some(settle), .. }) => {
            let is_other = |last| is_another_settle(last, *token, *settle);
            if job.meta.state.is_terminal() && job.last_settle.as_ref().is_some_and(is_other) {
                job.token = Some(*token);
            }
        }
        (Defect::ForgetsSettles, Proof::Lease { .. }) => job.last_settle = None,
        (Defect::RevisionIgnored, Proof::Revision(seen)) if guard.lapse == Lapse::Any => {
            *seen = job.meta.revision;
        }
        (Defect::LateHeartbeats, Proof::Lease { .. }) | (Defect::EarlyRescues, Proof::Revision(_)) => {
            guard.lapse = Lapse::Any;
        }
        _ => {}
    }
}

fn is_another_settle(last: &LastSettle, token: LeaseToken, settle: Settle) -> bool {
    last.token == token && last.settle != settle
}

/// Writes something other than what was decided.
pub(super) fn patch(defect: Defect, job: &JobMeta, patch: &mut Patch) {
    match (defect, patch) {
        (Defect::KeptForever, Patch::Finish(finish)) => finish.purge = Purge::Never,
        (Defect::KeptForever, Patch::Retain(purge)) => *purge = Purge::Never,
        (Defect::CountersKept, Patch::Requeue(requeue)) if requeue.fresh => {
            (requeue.failures, requeue.stalls) = (job.failures, job.stalls);
        }
        (Defect::ExpiryStands, Patch::Requeue(requeue)) => requeue.lifts_expiry = false,
        (Defect::ProgressDropped, Patch::Requeue(requeue)) => requeue.progress = None,
        (Defect::ContentTypeStands, Patch::Requeue(requeue)) => requeue.content_type = None,
        (Defect::ChargedTwice, Patch::Requeue(requeue)) if requeue.failures > job.failures => {
            requeue.failures += 1;
        }
        (Defect::DeadLetterLost, patch @ Patch::Finish(Finish { state: State::Failed, .. })) => {
            *patch = Patch::Remove;
        }
        (Defect::OneStallMore, patch @ Patch::Finish(Finish { reason: Some(Reason::Stalled), .. })) => {
            one_more_try(job, patch);
        }
        (Defect::AmendResetsTerms, Patch::Amend(Amend { terms: Some(terms), .. })) => {
            *terms = JobTerms { retention: terms.retention, ..JobTerms::PLAIN }.into();
        }
        _ => {}
    }
}

/// How a transition ends a lease, if it does.
pub(super) fn settle(transition: &Transition) -> Option<Settle> {
    match transition.guard.proof {
        Proof::Lease { settle, .. } => settle,
        Proof::Revision(_) => None,
    }
}

/// Moves a job to another time than was decided.
pub(super) fn time(defect: Defect, transition: &mut Transition) {
    let is_change = settle(transition).is_none() && transition.guard.lapse == Lapse::Any;
    if let (Defect::RescheduleIgnored, true, Patch::Requeue(requeue)) =
        (defect, is_change && !is_fresh(&transition.patch), &mut transition.patch)
    {
        requeue.run_at = match requeue.run_at {
            RunAt::After(_) => RunAt::Keep,
            other => other,
        };
    }
}

fn is_fresh(patch: &Patch) -> bool {
    matches!(patch, Patch::Requeue(requeue) if requeue.fresh)
}

/// Enqueues something other than the followers.
pub(super) fn followers(defect: Defect, transition: &mut Transition, after: &JobMeta) {
    let is_lapse = transition.guard.lapse == Lapse::Lapsed;
    let is_dropped = match (defect, settle(transition)) {
        (Defect::SnoozesUnfollowed, Some(Settle::Snooze))
        | (Defect::ReleasesUnfollowed, Some(Settle::Release))
        | (Defect::FailuresUnfollowed, Some(Settle::Fail)) => true,
        (Defect::ChangesUnfollowed, None) => !is_lapse,
        (Defect::RescuesUnmourned, None) => is_lapse,
        _ => false,
    };
    if is_dropped {
        transition.then.clear();
    }
    let kind = after.terms.on_failure.clone().filter(|_| defect == Defect::RetriesMourned);
    if let (Some(kind), Patch::Requeue(Requeue { error: Some(_), .. })) = (kind, &transition.patch) {
        let payload = Payload::new("{}", ContentType::from_static("application/json"));
        transition.then.push(NewJob::new(FailedJob::follow_up_id(after), kind, payload));
    }
}

fn one_more_try(job: &JobMeta, patch: &mut Patch) {
    let stalls = job.stalls + 1;
    if stalls == job.terms.max_stalls.as_raw() {
        *patch = Patch::Requeue(Requeue {
            state: State::Failing,
            run_at: RunAt::Keep,
            failures: job.failures,
            stalls,
            error: None,
            progress: None,
            fresh: false,
            lifts_expiry: job.expires_in.is_some(),
            content_type: None,
            closes: None,
        });
    }
}
