//! A claim that is repeated, since its answer was lost: answers what is held under it, and leases
//! nothing.
//!
//! The claim itself may be under way at another server, with a connection that still seems to be
//! there. The store alone knows what both do, by the token of the claim and by the record of each
//! job. The leases of what is handed out here are extended first, and a server gives back only
//! leases that are as they were claimed; so the other server keeps off. What it leases later, for a
//! client that has turned away, is looked for here, and goes back uncharged.

use super::{
    Ask, Handover,
    give_back::{find, give_back},
    repeated::KEPT_FOR,
};
use crate::{access::Principal, service::App};
use queue_core::{
    Applied, ClaimRequest, Claimed, ClaimedJob, Detail, JobId, JobMeta, JobRecord, LeaseToken, ListQuery,
    LostClaim, Moment, Result, Span, State, Timestamp,
    lifecycle::{Event, Policy, decide},
};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// How long the claim itself has to end, if it is still under way in this service.
const END_MAX: Duration = Duration::from_secs(2);
/// What is handed out again has a lease that ends later than before by this at least, so that it
/// never looks as the claim or an earlier repetition left it, even within one millisecond.
const LONGER: Duration = Duration::from_millis(1);

/// The jobs that are held under one of these tokens. Those that the answer has no room for, and
/// those that cannot start any more, go back, uncharged; so does what is not delivered.
///
/// `wait` is how long the claim itself may have to wait for jobs.
pub(crate) async fn repeat(
    app: &Arc<App>,
    principal: &Principal,
    ask: Ask,
    tokens: &[LeaseToken],
    wait: Duration,
) -> Result<Handover> {
    let mut found = Vec::new();
    let mut moment = Moment { now: Timestamp::default(), clock: Timestamp::default() };
    for token in tokens {
        app.claims.flights.end(*token, END_MAX).await;
        moment = held(app, &ask, *token, &mut found).await?;
    }
    // In the order of the claim: the answer says which job is to start first, and keeps those.
    found.sort_by_key(|(job, _)| (job.priority, job.run_at, job.seq));
    let (jobs, others) = readable(app, &ask, found, moment.now).await?;
    let extended = extended(app, &ask, jobs, moment).await;
    watch(app, principal, &ask, tokens, moment.now, wait);
    let (jobs, moment) = extended?;
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
    let mut jobs = Vec::new();
    let mut others = Vec::new();
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

/// Extends the leases of jobs that are to be handed out. Those that were given back, lapsed or
/// settled meanwhile are left out.
async fn extended(
    app: &App,
    ask: &Ask,
    jobs: Vec<ClaimedJob>,
    moment: Moment,
) -> Result<(Vec<ClaimedJob>, Moment)> {
    if jobs.is_empty() {
        return Ok((jobs, moment));
    }
    let decided = |job: &ClaimedJob| {
        let by = longer(&job.record.meta, ask.lease, moment.now);
        decide(&job.record.meta, Event::Extend { token: job.token, by, progress: None }, &Policy::default())
            .ok()
    };
    let (jobs, batch): (Vec<_>, Vec<_>) =
        jobs.into_iter().filter_map(|job| decided(&job).map(|transition| (job, transition))).unzip();
    let answers = app.storage.apply(batch).await?;
    let held = jobs.into_iter().zip(answers.value).filter_map(|(mut job, answer)| {
        let Applied::Done(meta) = answer else { return None };
        job.record.meta = meta;
        Some(job)
    });
    Ok((held.collect(), Moment { now: answers.now, clock: answers.clock }))
}

/// How long an extension lasts that ends later than the present lease, and is a whole lease.
fn longer(job: &JobMeta, lease: Span, now: Timestamp) -> Span {
    let left = job.lease.as_ref().map_or(Duration::ZERO, |held| held.expires_at.since(now));
    Span::at_most(left.max(lease.as_duration()) + LONGER)
}

/// Looks for what the claim still leases at another server, in a task of its own, as long as it may
/// be on its way or wait. A token has a share of such looks; beyond that the leases have to lapse.
fn watch(
    app: &Arc<App>,
    principal: &Principal,
    ask: &Ask,
    tokens: &[LeaseToken],
    now: Timestamp,
    wait: Duration,
) {
    let begins_for = KEPT_FOR + wait;
    let lease = ask.lease.as_duration();
    for token in tokens {
        let Some(share) = principal.begin_watch() else { return };
        let request = ClaimRequest {
            queue: ask.queue.clone(),
            worker: ask.worker.clone(),
            limit: ask.limit,
            lease: ask.lease,
            token: *token,
            bytes_max: ask.bytes_max,
            not_after: Some(now + Span::at_most(begins_for)),
            // A client begins at once what it asks for.
            limited_max: ask.limit,
        };
        let lost = LostClaim::of(&request);
        let app_of_task = app.clone();
        app.tasks.spawn(async move {
            find(&app_of_task, lost, begins_for, lease).await;
            drop(share);
        });
    }
}

fn is_same_claim(read: &JobMeta, held: &JobMeta) -> bool {
    read.state == State::Processing && (read.seq, read.epoch) == (held.seq, held.epoch)
}
