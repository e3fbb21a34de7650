//! Ends lapsed leases, except where the job may already be done.

use crate::service::App;
use queue_core::{
    JobMeta, ListQuery, QueueName, Result, StorageExt,
    lifecycle::{Event, decide},
};

/// The most jobs that the end of one lease writes: its own, and the follow-up that its producer
/// asked for.
const JOBS_PER_LAPSE: usize = 2;

/// How a rescue ended the lapsed leases that it found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rescued {
    /// Each of them was ended, by this call or another.
    All,
    /// Some are left to their workers for now.
    NotAll { ended: usize },
}

/// Ends lapsed leases after a claim that the store has answered, except those whose workers may be
/// about to settle (ADR 0071).
pub(super) async fn rescue(app: &App, queue: &QueueName, limit: usize) -> Result<Rescued> {
    if !app.claims.answers.are_fresh(queue) {
        return Ok(Rescued::NotAll { ended: 0 });
    }
    let ended = try_rescue(app, queue, limit).await;
    ended.inspect_err(|error| app.claims.answers.note_failure(queue, error))
}

async fn try_rescue(app: &App, queue: &QueueName, limit: usize) -> Result<Rescued> {
    // All that a page may lead to fits into one call.
    let limit = limit.min(app.storage.capabilities().limits.batch_max / JOBS_PER_LAPSE).max(1);
    let lapsed = app.storage.list(ListQuery::lapsed(queue.clone(), limit)).await?.jobs;
    let (hidden, free): (Vec<JobMeta>, Vec<JobMeta>) =
        lapsed.into_iter().partition(|job| app.claims.answers.hide(queue, job));
    let mut batch: Vec<_> =
        free.iter().filter_map(|job| decide(job, Event::Lapse, &app.policy).ok()).collect();
    let ended = batch.len();
    if ended > 0 {
        app.storage.trace_followers(queue, &mut batch).await;
        app.storage.apply(batch).await?;
    }
    Ok(if hidden.is_empty() { Rescued::All } else { Rescued::NotAll { ended } })
}
