//! Translates calls to a store into the terms of a history.

use crate::history::{
    Ask, Closing, Effect, Event, GateTerms, LimitView, Op, PruneKind, SignalView, Status, digest,
};
use queue_core::{
    ClaimRequest, JobId, Limit, LimitScope, NewJob, OnFailed, OnWaiting, Pause, Prune, PruneRequest,
    QueueName, Span, State,
    lifecycle::{Lapse, Patch, Proof, Purge, RunAt, Settle, Transition},
};

pub(super) fn enqueue(queue: &QueueName, groups: &[Vec<NewJob>]) -> Vec<Event> {
    let of_group = |(group, jobs): (u32, &Vec<NewJob>)| -> Vec<Event> {
        jobs.iter().map(|job| new_job(Op::Enqueue, queue, job, Some(group))).collect()
    };
    (0..).zip(groups).flat_map(of_group).collect()
}

fn new_job(op: Op, queue: &QueueName, job: &NewJob, group: Option<u32>) -> Event {
    let ask = Ask {
        group,
        delay_ms: Some(job.delay.as_millis()),
        priority: Some(job.priority),
        replaces_failed: Some(job.on_failed == OnFailed::Replace),
        replaces_waiting: (job.on_waiting != OnWaiting::Block).then_some(true),
        expires_ms: job.expires_in.map(Span::as_millis),
        partition: job.partition.as_ref().map(|key| key.as_str().to_owned()),
        gate: job.gate.as_ref().map(GateTerms::of),
        signals: SignalView::all(&job.end_signals),
        ..Ask::default()
    };
    let digest = Some(digest::of_payload(&job.payload));
    Event { id: Some(job.id.as_str().to_owned()), digest, ask, ..of_queue(op, queue) }
}

pub(super) fn claim(request: &ClaimRequest) -> Event {
    let ask = Ask {
        limit: Some(request.limit as u64),
        limited_max: Some(request.limited_max as u64).filter(|most| *most < request.limit as u64),
        worker: Some(request.worker.as_str().to_owned()),
        ..Ask::default()
    };
    Event { token: Some(digest::of_token(&request.token)), ask, ..of_queue(Op::Claim, &request.queue) }
}

/// The transitions, followed by the jobs that they enqueue.
pub(super) fn apply(batch: &[Transition]) -> Vec<Event> {
    let follow_ups = batch.iter().flat_map(|parent| parent.then.iter().map(|job| follower(parent, job)));
    batch.iter().map(transition).chain(follow_ups).collect()
}

fn follower(parent: &Transition, job: &NewJob) -> Event {
    let token = match &parent.guard.proof {
        Proof::Lease { token, .. } => Some(digest::of_token(token)),
        Proof::Revision(_) => None,
    };
    let new = new_job(Op::Then, &parent.queue, job, None);
    Event { token, ask: Ask { parent: Some(parent.seq.get()), ..new.ask }, ..new }
}

/// The number of followers of each transition.
pub(super) fn thens(batch: &[Transition]) -> Vec<usize> {
    batch.iter().map(|transition| transition.then.len()).collect()
}

fn transition(transition: &Transition) -> Event {
    let (token, revision) = match &transition.guard.proof {
        Proof::Lease { token, .. } => (Some(digest::of_token(token)), None),
        Proof::Revision(revision) => (None, Some(*revision)),
    };
    let result = match &transition.patch {
        Patch::Finish(finish) => finish.result.as_ref().map(digest::of_payload),
        _ => None,
    };
    let closes = match &transition.patch {
        Patch::Requeue(requeue) => Closing::of(requeue),
        _ => None,
    };
    let ask = Ask { revision, effect: Some(effect(&transition.patch)), closes, ..Ask::default() };
    Event {
        id: Some(transition.id.as_str().to_owned()),
        seq: Some(transition.seq.get()),
        token,
        result,
        ask,
        ..of_queue(op(transition), &transition.queue)
    }
}

/// The sender's intention, as guard and patch show it. A store cannot tell a delete from a cancel
/// that leaves no record, so both are called a delete. An expiry that a reader notices is a cancel.
fn op(transition: &Transition) -> Op {
    if let Proof::Lease { settle, .. } = transition.guard.proof {
        return match settle {
            Some(Settle::Complete) => Op::Complete,
            Some(Settle::Fail) => Op::Fail,
            Some(Settle::Release) => Op::Release,
            Some(Settle::Snooze) => Op::Snooze,
            Some(Settle::Suspend) => Op::Suspend,
            Some(Settle::Expire) => Op::Expire,
            None => Op::Extend,
        };
    }
    match &transition.patch {
        _ if transition.guard.lapse == Lapse::Lapsed => Op::Lapse,
        Patch::Requeue(requeue) if requeue.fresh => Op::Redrive,
        Patch::Requeue(requeue) if requeue.run_at == RunAt::Soonest => Op::Promote,
        Patch::Requeue(_) => Op::Reschedule,
        Patch::Finish(_) => Op::Cancel,
        Patch::Remove => Op::Delete,
        Patch::Flag(flags) if flags.cancel_requested => Op::RequestCancel,
        Patch::Flag(_) => Op::Await,
        Patch::Retain(_) => Op::Retain,
        Patch::Amend(_) => Op::Amend,
        Patch::Seal => Op::Seal,
        Patch::Extend { .. } => Op::Extend,
    }
}

fn effect(patch: &Patch) -> Effect {
    match patch {
        Patch::Requeue(_) => Effect::Requeue,
        Patch::Finish(finish) => {
            let keep_ms = match finish.purge {
                Purge::After(span) => Some(span.as_millis()),
                Purge::Never => None,
            };
            Effect::Finish { status: status(finish.state), keep_ms }
        }
        Patch::Remove => Effect::Remove,
        Patch::Extend { .. } | Patch::Flag(_) | Patch::Retain(_) | Patch::Amend(_) | Patch::Seal => {
            Effect::Touch
        }
    }
}

pub(super) fn status(state: State) -> Status {
    match state {
        State::Queued => Status::Queued,
        State::Processing => Status::Processing,
        State::Failing => Status::Failing,
        State::Completed => Status::Completed,
        State::Failed => Status::Failed,
        State::Cancelled => Status::Cancelled,
    }
}

pub(super) fn get(queue: &QueueName, ids: &[JobId]) -> Vec<Event> {
    ids.iter().map(|id| Event { id: Some(id.as_str().to_owned()), ..of_queue(Op::Read, queue) }).collect()
}

pub(super) fn list(queue: &QueueName) -> Event {
    of_queue(Op::List, queue)
}

pub(super) fn counts(queue: &QueueName) -> Event {
    of_queue(Op::Count, queue)
}

pub(super) fn prune(request: &PruneRequest) -> Event {
    let kind = match request.what {
        Prune::Expired => PruneKind::Expired,
        Prune::FinishedBefore(_) => PruneKind::Finished,
        Prune::Everything => PruneKind::Everything,
    };
    let ask = Ask { prune: Some(kind), limit: Some(request.limit as u64), ..Ask::default() };
    Event { ask, ..of_queue(Op::Prune, &request.queue) }
}

pub(super) fn set_limits(queue: &QueueName, limits: &[(LimitScope, Option<Limit>)]) -> Event {
    Event { ask: Ask { limits: LimitView::all(limits), ..Ask::default() }, ..of_queue(Op::SetLimits, queue) }
}

pub(super) fn set_paused(queue: &QueueName, pause: Pause) -> Event {
    of_queue(if pause.is_on() { Op::Pause } else { Op::Resume }, queue)
}

pub(super) fn verify() -> Event {
    Event { op: Op::Verify, ..Event::default() }
}

fn of_queue(op: Op, queue: &QueueName) -> Event {
    Event { op, queue: queue.as_str().to_owned(), ..Event::default() }
}
