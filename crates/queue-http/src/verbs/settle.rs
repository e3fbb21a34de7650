//! Settle: ends the leases of a worker, many in one call of the store.

mod events;

pub(super) use events::note;

use crate::{
    access::Scope,
    problem::{Problem, ProblemDocument, ProblemKind, Result},
    receipt::{self, NoReceipt, Receipt},
    routes::{Call, answer, check_open},
    service::App,
    wire::{check_count, checked_members, stamp},
};
use axum::{http::StatusCode, response::Response};
use events::{CompleteIn, FailIn, InterruptIn, ReleaseIn, SnoozeIn};
use queue::batches::BatchOfMember;
use queue_core::{
    Applied, Changed, Detail, EndSignal, Headers, JobBody, JobMeta, NewJob, QueueName, Stamped, State,
    StorageExt, Timestamp,
    lifecycle::{Event, Patch, Transition, decide},
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};
use utoipa::ToSchema;

/// Leases to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SettleRequest)]
pub(crate) struct SettleIn<'a> {
    #[serde(borrow)]
    items: Vec<SettleItem<'a>>,
}

/// A receipt, and exactly one of the events.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettleItem<'a> {
    #[serde(borrow)]
    receipt: Cow<'a, str>,
    /// The job is done.
    #[serde(borrow, default)]
    complete: Option<CompleteIn<'a>>,
    /// The attempt failed.
    #[serde(borrow, default)]
    fail: Option<FailIn<'a>>,
    /// Given back unstarted; uncharged.
    #[serde(borrow, default)]
    release: Option<ReleaseIn<'a>>,
    /// Given back though it had started, as at a shutdown; uncharged.
    #[serde(borrow, default)]
    interrupt: Option<InterruptIn<'a>>,
    /// Started, and to run again later; uncharged.
    #[serde(borrow, default)]
    snooze: Option<SnoozeIn<'a>>,
}

/// The outcome of each item, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SettleAnswer)]
pub(crate) struct SettleOut {
    now_ms: i64,
    items: Vec<SettledOut>,
}

/// The outcome of one item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Settled)]
pub(crate) struct SettledOut {
    /// `done`, `lease_lost`, `missing`, `conflict` or `refused`.
    outcome: &'static str,
    /// With `done`: the job's state after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// With `done`, if the job waits again: when it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_at_ms: Option<i64>,
    /// With `refused`: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemDocument>,
}

/// An item that can be sent to the store.
struct Decided {
    /// Its place in the request.
    at: usize,
    queue: QueueName,
    event: Event,
    /// The state that a job has when it is removed by this.
    removed_as: State,
    headers: Headers,
}

/// `POST /v1/settle`
pub(crate) async fn settle(app: Arc<App>, call: Call) -> Result<Response> {
    let SettleIn { items } = call.json()?;
    check_count("items", items.len(), app.limits.jobs_per_call_max)?;
    let mut outcomes: Vec<Option<SettledOut>> = Vec::with_capacity(items.len());
    let mut decided = Vec::new();
    let mut batch = Vec::new();
    let mut room = app.storage.capabilities().limits.batch_max;
    for (at, item) in items.into_iter().enumerate() {
        match item.decided(&app, &call, at).await {
            Ok(Ok((one, transition))) if transition.weight() <= room => {
                room -= transition.weight();
                outcomes.push(None);
                decided.push(one);
                batch.push(transition);
            }
            Ok(Ok(_)) => outcomes.push(Some(SettledOut::plain("conflict"))),
            Ok(Err(outcome)) => outcomes.push(Some(outcome)),
            Err(problem) => outcomes.push(Some(SettledOut::refused(&problem))),
        }
    }
    let now = apply(&app, decided, batch, &mut outcomes).await?;
    let items = outcomes.into_iter().map(|outcome| outcome.expect("every item has its outcome")).collect();
    answer(StatusCode::OK, &SettleOut { now_ms: stamp(now), items })
}

/// Sends the decided transitions, and decides again for each job that changed in between.
async fn apply(
    app: &App,
    decided: Vec<Decided>,
    batch: Vec<Transition>,
    outcomes: &mut [Option<SettledOut>],
) -> Result<Timestamp> {
    let removes: Vec<bool> =
        batch.iter().map(|transition| matches!(transition.patch, Patch::Remove)).collect();
    let applied = app.storage.apply(batch).await;
    note_answer(app, &decided, &applied);
    let applied = applied?;
    for ((one, is_removed), answer) in decided.into_iter().zip(removes).zip(applied.value) {
        let at = one.at;
        outcomes[at] = Some(match answer {
            Applied::Done(meta) => SettledOut::done(&meta, is_removed.then_some(one.removed_as)),
            Applied::LeaseLost(_) => SettledOut::plain("lease_lost"),
            Applied::Missing => SettledOut::plain("missing"),
            Applied::Stale(moved) => settled_anew(app, &moved, one).await,
        });
    }
    Ok(applied.now)
}

/// Notes for each queue whether the store answers. Equal ones mostly stand side by side.
fn note_answer<T>(app: &App, decided: &[Decided], applied: &queue_core::Result<Stamped<T>>) {
    let mut queues: Vec<_> = decided.iter().map(|one| &one.queue).collect();
    queues.dedup();
    for queue in queues {
        match applied {
            Ok(answer) => app.claims.answers.note(queue, answer.now),
            Err(error) => app.claims.answers.note_failure(queue, error),
        }
    }
}

async fn settled_anew(app: &App, moved: &JobMeta, one: Decided) -> SettledOut {
    let Decided { event, removed_as, headers, queue, .. } = one;
    let changed = app.storage.settle_with(moved, &headers, event, &app.policy).await;
    match changed.inspect_err(|error| app.claims.answers.note_failure(&queue, error)) {
        Ok(Changed::Done(meta)) => {
            let is_removed = meta.state == State::Processing;
            SettledOut::done(&meta, is_removed.then_some(removed_as))
        }
        Ok(Changed::LeaseLost(_) | Changed::Rejected(_)) => SettledOut::plain("lease_lost"),
        Ok(Changed::Missing) => SettledOut::plain("missing"),
        Err(error) if error.is_transient() => SettledOut::plain("conflict"),
        Err(error) => SettledOut::refused(&error.into()),
    }
}

/// Reads a receipt of this service, and checks that the caller may work on its queue.
pub(super) fn opened(app: &App, call: &Call, text: &str) -> Result<Receipt> {
    let receipt = receipt::open(&app.keys, text).map_err(|none| match none {
        NoReceipt::Forged => Problem::invalid("receipt: it is not one of this service"),
        NoReceipt::OtherKey => Problem::other_key(),
    })?;
    check_open(&receipt.meta.queue)?;
    if !call.may(Scope::Work, &receipt.meta.queue) {
        return Err(Problem::new(
            ProblemKind::Forbidden,
            "the token is not one for the queue of the receipt",
        ));
    }
    Ok(receipt)
}

impl SettleItem<'_> {
    /// The transition to send to the store, or the outcome if none is needed.
    async fn decided(
        mut self,
        app: &App,
        call: &Call,
        at: usize,
    ) -> Result<Result<(Decided, Transition), SettledOut>> {
        let Receipt { mut meta, token, has_follow_up, has_headers } = opened(app, call, &self.receipt)?;
        let limits = app.storage.capabilities().limits;
        let rules = app.rules(&limits);
        let members = self.complete.as_mut().map(|complete| std::mem::take(&mut complete.members));
        let members = checked_members("members", members.unwrap_or_default(), &rules)?;
        let mut event = match (self.complete, self.fail, self.release, self.interrupt, self.snooze) {
            (Some(complete), None, None, None, None) => complete.event(token, &rules)?,
            (None, Some(fail), None, None, None) => fail.event(token, &rules)?,
            (None, None, Some(release), None, None) => release.event(token, &rules)?,
            (None, None, None, Some(interrupt), None) => interrupt.event(token, &rules)?,
            (None, None, None, None, Some(snooze)) => snooze.event(token, &rules)?,
            _ => {
                let names = "complete, fail, release, interrupt or snooze";
                return Err(Problem::invalid(format!("give exactly one of {names}")));
            }
        };
        let is_fail = matches!(event, Event::Fail { .. });
        let mut headers = Headers::NONE;
        let hands_on = has_headers && events::has_followers(&event);
        if (has_follow_up && is_fail) || hands_on || !members.is_empty() {
            let Some(body) = read_rest(app, &mut meta).await? else {
                return Ok(Err(SettledOut::plain("missing")));
            };
            headers = body.headers;
            events::follow(&mut event, joined(members, &body.end_signals)?);
        }
        let removed_as = events::ends_as(&event, meta.cancel_requested);
        let Ok(mut transition) = decide(&meta, event.clone(), &app.policy) else {
            return Ok(Err(SettledOut::plain("lease_lost")));
        };
        headers.trace_on(&mut transition.then);
        limits.check_apply(std::slice::from_ref(&transition))?;
        Ok(Ok((Decided { at, queue: meta.queue, event, removed_as, headers }, transition)))
    }
}

/// Makes jobs members of the batch of the job with these end signals.
fn joined(members: Vec<NewJob>, signals: &[EndSignal]) -> Result<Vec<NewJob>> {
    if members.is_empty() {
        return Ok(members);
    }
    let batch = BatchOfMember::of(signals);
    let batch = batch.ok_or_else(|| Problem::invalid("members: the job is a member of no batch"))?;
    let joined = members.into_iter().map(|job| batch.join(job));
    joined
        .collect::<Result<_, _>>()
        .map_err(|invalid| Problem::from(queue_core::Error::from(invalid)).at("members"))
}

/// Reads what a receipt has no room for: the kind, all terms, the headers and the end signals. None
/// of them changes while the job is held.
async fn read_rest(app: &App, meta: &mut JobMeta) -> Result<Option<JobBody>> {
    let record = app.storage.get_one(&meta.queue, &meta.id, Detail::Full).await;
    let record = record.inspect_err(|error| app.claims.answers.note_failure(&meta.queue, error))?;
    let Some(record) = record.filter(|record| record.meta.seq == meta.seq) else { return Ok(None) };
    (meta.kind, meta.terms) = (record.meta.kind, record.meta.terms);
    Ok(Some(record.body.ok_or_else(|| queue_core::Error::without_body("settle"))?))
}

impl SettledOut {
    const fn plain(outcome: &'static str) -> Self {
        Self { outcome, state: None, run_at_ms: None, problem: None }
    }

    fn refused(problem: &Problem) -> Self {
        Self { problem: Some(problem.document()), ..Self::plain("refused") }
    }

    fn done(meta: &JobMeta, removed_as: Option<State>) -> Self {
        let state = removed_as.unwrap_or(meta.state);
        let run_at_ms = state.is_waiting().then(|| stamp(meta.run_at));
        Self { state: Some(state.as_str()), run_at_ms, ..Self::plain("done") }
    }
}
