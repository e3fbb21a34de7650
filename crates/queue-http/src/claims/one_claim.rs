//! One claim of the store, whose jobs may start: what belongs to the library is done here, and what
//! is too late to start is ended.

use super::{
    Ask,
    give_back::{find, give_back},
    rescue::{Rescued, rescue},
    upkeep,
};
use crate::service::App;
use queue::worker::{RESERVED_RETRY, ReservedJob, handle_reserved};
use queue_core::{
    Applied, Certainty, ClaimRequest, Claimed, ClaimedJob, Error, ErrorKind, LostClaim, Result, Span,
    StorageExt, Timestamp,
    lifecycle::{Event, decide},
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// How much longer than the store itself a claim waits for its answer.
const ANSWER_MAX: Duration = Duration::from_secs(1);
/// How soon a queue is looked at again whose lapsed leases are left alone.
const LOOK_AGAIN: Span = Span::from_secs(1);
/// The most claims in a row that bring only jobs of the library's own.
const OWN_ROUNDS_MAX: u32 = 16;

/// Claims jobs that may start, and rescues lapsed ones if there are none.
pub(super) async fn one_claim(app: &Arc<App>, ask: &Ask) -> Result<Claimed> {
    let mut rounds = 0;
    loop {
        let mut claimed = claim_or_rescue(app, ask).await?;
        let now = claimed.now;
        let own: Vec<ClaimedJob> =
            claimed.jobs.extract_if(.., |job| job.record.meta.kind.is_reserved()).collect();
        let late: Vec<ClaimedJob> =
            claimed.jobs.extract_if(.., |job| job.record.meta.is_too_late(now)).collect();
        if own.is_empty() && late.is_empty() {
            return Ok(claimed);
        }
        for job in own {
            look_after(app, &job).await;
        }
        if let Err(error) = expire(app, &late, now).await {
            give_back(app, &late).await;
            give_back(app, &claimed.jobs).await;
            return Err(error);
        }
        rounds += 1;
        if !claimed.jobs.is_empty() || rounds == OWN_ROUNDS_MAX {
            return Ok(claimed);
        }
    }
}

async fn claim_or_rescue(app: &Arc<App>, ask: &Ask) -> Result<Claimed> {
    let claimed = claim(app, ask).await?;
    let is_overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if !claimed.jobs.is_empty() || claimed.pause.is_on() || !is_overdue {
        return Ok(claimed);
    }
    let later = Some(claimed.now + LOOK_AGAIN);
    match rescue(app, &ask.queue, ask.limit).await? {
        Rescued::All => claim(app, ask).await,
        Rescued::NotAll { ended: 0 } => Ok(Claimed { next_due: later, ..claimed }),
        Rescued::NotAll { .. } => {
            let again = claim(app, ask).await?;
            Ok(if again.jobs.is_empty() { Claimed { next_due: later, ..again } } else { again })
        }
    }
}

/// One call of the store. If its answer is lost, a task of its own gives back what it leased.
async fn claim(app: &Arc<App>, ask: &Ask) -> Result<Claimed> {
    let listens = (app.storage.capabilities().call_timeout + ANSWER_MAX).min(ask.lease.as_duration() * 2 / 3);
    let request = ClaimRequest {
        queue: ask.queue.clone(),
        worker: ask.worker.clone(),
        limit: ask.limit,
        lease: ask.lease,
        token: ask.token,
        bytes_max: ask.bytes_max,
        not_after: app.claims.answers.store_time(&ask.queue).map(|now| now + Span::at_most(listens)),
        // A client begins at once what it asks for.
        limited_max: ask.limit,
    };
    let lost = LostClaim::of(&request);
    let answer = timeout(listens, app.storage.claim(request)).await;
    let answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
    match &answer {
        Ok(claimed) => {
            app.claims.answers.note(&ask.queue, claimed.now);
            upkeep::at_intervals(app, &ask.queue);
        }
        Err(error) => {
            app.claims.answers.note_failure(&ask.queue, error);
            if error.certainty() == Certainty::Unknown {
                let app_of_task = app.clone();
                let lease = ask.lease.as_duration();
                app.tasks.spawn(async move { find(&app_of_task, lost, Duration::ZERO, lease).await });
            }
        }
    }
    answer
}

fn unanswered() -> Error {
    let message = "the store did not answer in time; what it still gives out goes back";
    Error::new(ErrorKind::Unavailable, "claim", message).unknown()
}

/// Does what a job of the library's own asks for, as a worker would. If the store does not accept
/// the outcome, the lease lapses.
async fn look_after(app: &App, job: &ClaimedJob) {
    let event = match &job.record.body {
        None => later(job),
        Some(body) => {
            let meta = &job.record.meta;
            let payload = &body.payload;
            let unreadable = &app.unreadable;
            let reserved = ReservedJob { meta, payload, token: job.token, unreadable };
            handle_reserved(&*app.storage, reserved)
                .await
                .map_or_else(|_| later(job), |handled| handled.event)
        }
    };
    drop(app.storage.settle(&job.record.meta, event, &app.policy).await);
}

const fn later(job: &ClaimedJob) -> Event {
    Event::PutBack { token: job.token, delay: RESERVED_RETRY }
}

/// Ends jobs that no worker started in time, without charging the attempt.
async fn expire(app: &App, late: &[ClaimedJob], now: Timestamp) -> Result<()> {
    if late.is_empty() {
        return Ok(());
    }
    let event = |job: &ClaimedJob| Event::Expire { now, token: Some(job.token) };
    let decided = |job: &ClaimedJob| decide(&job.record.meta, event(job), &app.policy).ok();
    let (sent, batch): (Vec<_>, Vec<_>) = late.iter().filter_map(|job| Some((job, decided(job)?))).unzip();
    let answers = app.storage.apply(batch).await?.value;
    for (job, answer) in sent.into_iter().zip(answers) {
        if let Applied::Stale(moved) = answer {
            app.storage.settle(&moved, event(job), &app.policy).await?;
        }
    }
    Ok(())
}
