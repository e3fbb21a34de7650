//! Applies a transition to a record in memory.

use crate::{
    Attempt, JobMeta, Signalling, Timestamp,
    lifecycle::{
        Amend, BodyPatch, Finish, Flags, Guard, Lapse, LastSettle, Patch, Proof, Requeue, RunAt, TrackedJob,
        Transition, gate::close,
    },
};

/// The result of applying a transition to a record in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The job was changed; the store writes it, and enqueues the jobs that follow.
    Written {
        /// What to write of the body.
        body: BodyPatch,
        /// An attempt to [add](Attempt::push) to those that the store keeps of the life.
        attempt: Option<Box<Attempt>>,
    },
    /// The store must remove the job, and enqueue the jobs that follow.
    Removed,
    /// The sender had settled this lease in the same way before; nothing is written or enqueued
    /// again.
    Replayed,
    /// Another claim holds the lease, or the lease is over. Final.
    LeaseLost,
    /// The job has changed since it was read: decide again.
    Stale,
    /// Another life, or past its purge time.
    Missing,
}

/// Compares the guard and patches the job, at the store time `now`. A store that has the record in
/// its own process calls this function within its atomic step; other stores are tested against it.
///
/// The job is untouched unless the verdict is [`Verdict::Written`] or [`Verdict::Removed`]. The
/// store then enqueues the followers, [looks](crate::lifecycle::look) at the gate of the job, and
/// sends its end signals.
pub fn apply(job: &mut TrackedJob, transition: &Transition, now: Timestamp) -> Verdict {
    let is_same_life = job.meta.seq == transition.seq && job.meta.id == transition.id;
    if !is_same_life || job.meta.is_purged(now) {
        return Verdict::Missing;
    }
    if let Err(refused) = compare(job, &transition.guard, now) {
        return refused;
    }
    // The charged attempt needs the lease, which the patch ends.
    let attempt = Attempt::charged(&job.meta, &transition.patch, now).map(Box::new);
    job.meta.revision += 1;
    if let Proof::Lease { token, settle: Some(settle), .. } = transition.guard.proof {
        job.last_settle = Some(LastSettle { token, settle });
    }
    if transition.signal.is_some() {
        job.meta.signalling = Signalling::Sent;
    }
    match &transition.patch {
        Patch::Requeue(patch) => requeue(job, patch, now),
        Patch::Finish(patch) => finish(job, patch, now),
        Patch::Remove => return Verdict::Removed,
        Patch::Extend { by, progress } => {
            if let Some(lease) = &mut job.meta.lease {
                lease.expires_at = now + *by;
            }
            if progress.is_some() {
                job.meta.progress = progress.clone().map(Box::new);
            }
        }
        Patch::Flag(flags) => {
            job.meta.cancel_requested |= flags.cancel_requested;
            job.meta.awaited |= flags.awaited;
        }
        Patch::Amend(patch) => amend(&mut job.meta, patch, now),
        Patch::Retain(purge) => job.meta.purge_at = purge.at(now),
        Patch::Seal => {
            if let Some(gate) = &mut job.meta.gate {
                gate.is_sealed = true;
            }
        }
    }
    Verdict::Written { body: transition.patch.body(), attempt }
}

fn compare(job: &TrackedJob, guard: &Guard, now: Timestamp) -> Result<(), Verdict> {
    let lapse_holds = match guard.lapse {
        Lapse::Any => true,
        Lapse::Lapsed => job.meta.is_lapsed(now),
        Lapse::Live => !job.meta.is_lapsed(now),
    };
    match guard.proof {
        Proof::Lease { token, epoch, flags, settle } => {
            if job.meta.epoch != epoch {
                return Err(Verdict::LeaseLost);
            }
            // A settled lease has no token any more, so a repeated settle ends up here.
            if job.token != Some(token) {
                let sent = settle.map(|settle| LastSettle { token, settle });
                return Err(if is_replay(job, sent) { Verdict::Replayed } else { Verdict::LeaseLost });
            }
            if !lapse_holds {
                return Err(Verdict::LeaseLost);
            }
            if flags.is_some_and(|seen| seen != Flags::of(&job.meta)) {
                return Err(Verdict::Stale);
            }
        }
        Proof::Revision(seen) => {
            if seen != job.meta.revision || !lapse_holds {
                return Err(Verdict::Stale);
            }
        }
    }
    Ok(())
}

/// A sender without the present lease either repeats its own settle, or is too late.
fn is_replay(job: &TrackedJob, sent: Option<LastSettle>) -> bool {
    sent.is_some() && job.last_settle == sent
}

fn requeue(job: &mut TrackedJob, patch: &Requeue, now: Timestamp) {
    end_lease(job);
    let meta = &mut job.meta;
    meta.state = patch.state;
    meta.run_at = patch.run_at.at(meta.run_at, now);
    meta.failures = patch.failures;
    meta.stalls = patch.stalls;
    meta.expiry_lifted |= patch.lifts_expiry;
    // A redrive begins a new count, but keeps the life and its recorded attempts.
    if patch.fresh {
        meta.cancel_requested = false;
        (meta.last_error, meta.failed_at, meta.progress, meta.reason) = (None, None, None, None);
        (meta.finished_at, meta.purge_at) = (None, None);
    }
    if let Some(error) = &patch.error {
        meta.last_error = Some(error.clone().without_details());
        meta.failed_at = Some(now);
    }
    if patch.progress.is_some() {
        meta.progress = patch.progress.clone().map(Box::new);
    }
    // A job that is promoted or redriven does not wait for its gate.
    if let Some(gate) = &mut meta.gate
        && (patch.fresh || patch.run_at == RunAt::Soonest)
    {
        gate.closed_at = None;
    }
    if let Some(closes) = &patch.closes {
        close(meta, closes);
    }
}

fn finish(job: &mut TrackedJob, patch: &Finish, now: Timestamp) {
    end_lease(job);
    let meta = &mut job.meta;
    meta.state = patch.state;
    meta.reason = patch.reason;
    meta.failures = patch.failures;
    meta.stalls = patch.stalls;
    meta.finished_at = Some(now);
    meta.purge_at = patch.purge.at(now);
    if let Some(error) = &patch.error {
        meta.last_error = Some(error.clone().without_details());
        meta.failed_at = Some(now);
    }
}

fn amend(meta: &mut JobMeta, patch: &Amend, now: Timestamp) {
    meta.run_at = patch.run_at.at(meta.run_at, now);
    meta.priority = patch.priority.unwrap_or(meta.priority);
    if let Some(terms) = &patch.terms {
        meta.terms = terms.clone();
    }
}

fn end_lease(job: &mut TrackedJob) {
    job.token = None;
    job.meta.lease = None;
}
