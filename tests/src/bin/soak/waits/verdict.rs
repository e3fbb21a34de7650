//! The final check of a run: all calls ended as they must, and the store agrees.

use super::{
    call_counts::CallCounts,
    exchange::{CallQueue, expected},
    mode::Mode,
    settings::WaitsArgs,
};
use crate::failed::{Failed, require};
use futures_util::TryStreamExt;
use queue::{ErrorKind, State};

/// Fails unless all calls ended as they must, and the store agrees.
pub(super) async fn judge(
    queue: &CallQueue,
    settings: &WaitsArgs,
    mode: Mode,
    tally: &CallCounts,
    kills: usize,
) -> Result<(), Failed> {
    require(tally.wrong == 0, || format!("wrong answers: {:#?}", tally.complaints))?;
    require(tally.right == settings.calls, || "not every call was answered".to_owned())?;
    require(tally.late == 0, || "waits ended after their deadline".to_owned())?;
    require(kills > 0 || !mode.kills(), || "the run was too short for a kill".to_owned())?;
    println!("    {} jobs were taken over from a worker that was gone", taken_over(queue).await?);
    let counts = queue.counts().await?;
    let refused = (0..settings.calls).filter(|number| expected(*number).is_none()).count() as u64;
    let (completed, failed) = (counts.of(State::Completed), counts.of(State::Failed));
    let is_as_told =
        (completed, failed, counts.total()) == (settings.calls - refused, refused, settings.calls);
    require(is_as_told, || format!("the store has something else: {counts:?}"))?;
    match queue.storage().verify().await {
        Ok(findings) => require(findings.is_empty(), || format!("verify found: {findings:#?}")),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The number of jobs that were once held by a worker whose lease lapsed.
async fn taken_over(queue: &CallQueue) -> Result<usize, Failed> {
    let all = queue.jobs().all();
    Ok(all.try_fold(0, async |found, job| Ok(found + usize::from(job.meta.stalls > 0))).await?)
}
