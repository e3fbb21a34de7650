//! Records that a handler began, did its work and ended, in a sink that shares nothing with the
//! store.

use super::actor::Actor;
use crate::history::{Ask, Event, Op, digest};
use queue_core::ClaimedJob;

pub(super) fn started(actor: &Actor, job: &ClaimedJob) {
    mark(actor, job, Op::ExecStart);
    mark(actor, job, Op::Effect);
}

pub(super) fn ended(actor: &Actor, job: &ClaimedJob) {
    mark(actor, job, Op::ExecEnd);
}

fn mark(actor: &Actor, job: &ClaimedJob, op: Op) {
    let meta = &job.record.meta;
    actor.recorder.mark(Event {
        op,
        process: actor.store.process(),
        queue: meta.queue.as_str().to_owned(),
        id: Some(meta.id.as_str().to_owned()),
        seq: Some(meta.seq.get()),
        token: Some(digest::of_token(&job.token)),
        attempt: Some(meta.attempt()),
        ask: Ask { worker: Some(actor.name.clone()), ..Ask::default() },
        ..Event::default()
    });
}
