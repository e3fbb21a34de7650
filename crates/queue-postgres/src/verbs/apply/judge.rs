//! What an item did: it is judged by the job as its statement or a read showed it.

use super::{apply_verb::JOB_AT, plan::Completion};
use crate::row::{foreign, read_held};
use queue_core::{
    Applied, JobMeta, Timestamp,
    lifecycle::{Flags, Lapse, Patch, TrackedJob, Transition, Verdict, apply},
};
use sqlx::postgres::PgRow;

/// Reads a job that its holder completed, as it was before. What the row leaves out, the guard
/// says.
pub(super) fn read_completed(row: &PgRow, sent: &Transition) -> sqlx::Result<TrackedJob> {
    let to = Completion::of(sent).ok_or_else(|| foreign("a job was completed that nobody asked for"))?;
    let meta = read_held(row, JOB_AT, &sent.queue)?;
    let Flags { cancel_requested, awaited } = to.flags;
    let failures = to.finish.failures;
    let stalls = to.finish.stalls;
    let meta = JobMeta { cancel_requested, awaited, failures, stalls, ..meta };
    Ok(TrackedJob { token: Some(to.token), ..TrackedJob::new(meta) })
}

/// Whether an item is left for later if another transaction holds its row: `extend.sql` and
/// `move.sql` wait for no lock with these.
pub(super) fn passes_over(sent: &Transition) -> bool {
    matches!(sent.patch, Patch::Extend { .. }) || sent.guard.lapse == Lapse::Lapsed
}

/// Says why an item was not written; `None` if it could be written now, unless this was its last
/// round.
pub(super) fn judge(
    job: Option<TrackedJob>,
    sent: &Transition,
    now: Timestamp,
    is_last: bool,
) -> Option<Applied> {
    let Some(mut job) = job else { return Some(Applied::Missing) };
    let seen = is_last.then(|| job.meta.clone());
    match apply(&mut job, sent, now) {
        Verdict::Written { .. } | Verdict::Removed => seen.map(Applied::Stale),
        Verdict::Replayed => Some(Applied::Done(job.meta)),
        Verdict::LeaseLost => Some(Applied::LeaseLost(job.meta)),
        Verdict::Stale => Some(Applied::Stale(job.meta)),
        Verdict::Missing => Some(Applied::Missing),
    }
}
