//! A claim that is repeated, since its answer was lost: tells what is held under it, and leases
//! nothing.

use super::{Ask, Handover, give_back::give_back};
use crate::service::App;
use queue_core::{
    Claimed, ClaimedJob, Detail, JobId, JobMeta, JobRecord, LeaseToken, ListQuery, Moment, Result, State,
    Timestamp,
};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// How long the claim itself has to end, if it is still under way in this service.
const END_MAX: Duration = Duration::from_secs(2);

/// The jobs that are held under one of these tokens. Those that the answer has no room for, and
/// those that cannot start any more, go back, uncharged; so does what is not delivered.
pub(crate) async fn repeat(app: &Arc<App>, ask: Ask, tokens: &[LeaseToken]) -> Result<Handover> {
    let mut found = Vec::new();
    let mut moment = Moment { now: Timestamp::default(), clock: Timestamp::default() };
    for token in tokens {
        app.claims.flights.end(*token, END_MAX).await;
        moment = held(app, &ask, *token, &mut found).await?;
    }
    // In the order of the claim: the answer says which job is to start first, and keeps those.
    found.sort_by_key(|(job, _)| (job.priority, job.run_at, job.seq));
    let (jobs, others) = readable(app, &ask, found, moment.now).await?;
    let claimed = Claimed { jobs, ..Claimed::none(None, moment) };
    let kept = claimed.jobs.clone();
    let (taken, is_taken) = oneshot::channel();
    let app_of_task = app.clone();
    app.tasks.spawn(async move {
        give_back(&app_of_task, &others).await;
        if !kept.is_empty() && is_taken.await.is_err() {
            give_back(&app_of_task, &kept).await;
        }
    });
    Ok(Handover { claimed, taken, waited: Duration::ZERO })
}

/// All jobs that this worker holds under a token.
async fn held(
    app: &App,
    ask: &Ask,
    token: LeaseToken,
    found: &mut Vec<(JobMeta, LeaseToken)>,
) -> Result<Moment> {
    let mut query = ListQuery::held(ask.queue.clone(), token, app.limits.jobs_per_call_max);
    loop {
        let page = app.storage.list(query.clone()).await?;
        let is_holder = |job: &JobMeta| job.lease.as_ref().is_some_and(|lease| lease.worker == ask.worker);
        found.extend(page.jobs.into_iter().filter(is_holder).map(|job| (job, token)));
        query.after = page.next;
        if query.after.is_none() {
            return Ok(Moment { now: page.now, clock: page.clock });
        }
    }
}

/// Divides the jobs into those that the answer has room for, with their bodies, and the others.
async fn readable(
    app: &App,
    ask: &Ask,
    found: Vec<(JobMeta, LeaseToken)>,
    now: Timestamp,
) -> Result<(Vec<ClaimedJob>, Vec<ClaimedJob>)> {
    let ids: Vec<JobId> = found.iter().map(|(job, _)| job.id.clone()).collect();
    if ids.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let records = app.storage.get(&ask.queue, &ids, Detail::Full).await?.value;
    let mut read: HashMap<JobId, JobRecord> =
        records.into_iter().flatten().map(|record| (record.meta.id.clone(), record)).collect();
    let mut room = ask.bytes_max;
    let (mut jobs, mut others) = (Vec::new(), Vec::new());
    for (meta, token) in found {
        let record = read.remove(&meta.id).filter(|record| is_same_claim(&record.meta, &meta));
        let Some(record) = record else { continue };
        let bytes = record.body.as_ref().map(queue_core::JobBody::len);
        let fits = bytes.is_some_and(|bytes| jobs.is_empty() || bytes <= room);
        let may_start =
            !record.meta.is_lapsed(now) && !record.meta.is_too_late(now) && !record.meta.kind.is_reserved();
        let job = ClaimedJob { record, token };
        if fits && may_start {
            room = room.saturating_sub(bytes.unwrap_or_default());
            jobs.push(job);
        } else {
            others.push(job);
        }
    }
    Ok((jobs, others))
}

fn is_same_claim(read: &JobMeta, held: &JobMeta) -> bool {
    read.state == State::Processing && (read.seq, read.epoch) == (held.seq, held.epoch)
}
