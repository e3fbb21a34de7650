//! Jobs with gates, and the members that signal their ends to them.

use super::{
    actor::Actor,
    producer::{job, own_id},
};
use queue_core::{JobId, NewGate, NewJob, OnWaiting, Span};

/// The most members that are enqueued with one job that waits for them.
const MEMBERS_MAX: usize = 4;

/// A job with a gate and some members of it, in one group or in two; or members alone, which come
/// later, or too late.
pub(super) fn groups(actor: &Actor, number: &mut usize) -> Vec<Vec<NewJob>> {
    let sum = if actor.dice.one_in(3) { gate_of_its_own(actor, number) } else { actor.gate_id() };
    let members: Vec<NewJob> =
        (0..=actor.dice.below(MEMBERS_MAX)).map(|_| member(actor, &sum, number)).collect();
    let waiting = waiting(actor, sum, number);
    match actor.dice.below(4) {
        0 => vec![members],
        1 => vec![vec![waiting], members],
        _ => vec![std::iter::once(waiting).chain(members).collect()],
    }
}

fn gate_of_its_own(actor: &Actor, number: &mut usize) -> JobId {
    *number += 1;
    JobId::new(format!("gate-of-{}-{number}", actor.name)).expect("a valid id")
}

fn waiting(actor: &Actor, id: JobId, number: &mut usize) -> NewJob {
    *number += 1;
    let gate = NewGate {
        needs: actor.dice.pick(&[0, 0, 1, 2]),
        is_sealed: !actor.dice.one_in(3),
        timeout: actor.dice.pick(&[None, None, Some(Span::from_millis(50)), Some(Span::from_millis(700))]),
    };
    let job =
        job(actor, id, *number).with_on_waiting(OnWaiting::Block).with_delay(Span::ZERO).with_gate(gate);
    // One in some waits for others and is waited for itself.
    if actor.dice.one_in(5) { actor.signalling(job, [actor.gate_id()]) } else { job }
}

fn member(actor: &Actor, sum: &JobId, number: &mut usize) -> NewJob {
    *number += 1;
    let id = if actor.dice.one_in(3) { actor.shared_id() } else { own_id(actor, *number) };
    let job = job(actor, id, *number);
    let also = actor.dice.one_in(6).then(|| actor.gate_id());
    let job = actor.signalling(job, std::iter::once(sum.clone()).chain(also));
    if actor.dice.one_in(4) { job.with_expires_in(Span::from_millis(200)) } else { job }
}
