//! The task that enqueues jobs of all sorts.

use super::{
    actor::{Actor, expected},
    family,
};
use queue_core::{
    Budget, JobId, Kind, NewJob, OnFailed, OnWaiting, Retention, RetentionPolicy, Span, Storage,
};

const RETENTIONS: [Retention; 5] = [
    Retention::Remove,
    Retention::Keep(Span::from_millis(150)),
    Retention::Keep(Span::from_millis(800)),
    Retention::Keep(Span::from_secs(3600)),
    Retention::Forever,
];

const ON_WAITING: [OnWaiting; 4] = [
    OnWaiting::Block,
    OnWaiting::Block,
    OnWaiting::Replace { max_wait: None },
    OnWaiting::Replace { max_wait: Some(Span::from_millis(100)) },
];

/// Enqueues groups of jobs of all sorts.
pub(super) async fn produce(actor: Actor) {
    let mut number = 0;
    for _ in actor.pace.steps() {
        let mut groups: Vec<Vec<NewJob>> =
            (0..=actor.dice.below(2)).map(|_| group(&actor, &mut number)).collect();
        if actor.has_gates() && actor.dice.one_in(2) {
            groups.extend(family::groups(&actor, &mut number));
        }
        let send = || actor.store.enqueue(&actor.queue, groups.clone());
        // A call that is not repeated leaves its outcome unknown, and then shows whether a group is
        // all or nothing.
        drop(expected(if actor.dice.one_in(3) { send().await } else { actor.insist(send).await }));
        actor.pause().await;
    }
}

fn group(actor: &Actor, number: &mut usize) -> Vec<NewJob> {
    let shared = !actor.dice.one_in(4);
    let member = |_| {
        *number += 1;
        let id = if shared && !actor.dice.one_in(4) { actor.shared_id() } else { own_id(actor, *number) };
        job(actor, id, *number)
    };
    (0..=actor.dice.below(3)).map(member).collect()
}

pub(super) fn own_id(actor: &Actor, number: usize) -> JobId {
    JobId::new(format!("{}-{number}", actor.name)).expect("a valid id")
}

pub(super) fn job(actor: &Actor, id: JobId, number: usize) -> NewJob {
    let retention =
        RetentionPolicy { completed: actor.dice.pick(&RETENTIONS), failed: actor.dice.pick(&RETENTIONS) };
    let job = actor
        .job(id, number)
        .with_priority(actor.dice.pick(&[-1, 0, 0, 0, 5]))
        .with_delay(Span::from_millis(actor.dice.pick(&[0, 0, 0, 20, 150])))
        .with_max_attempts(Budget::from_raw(actor.dice.pick(&[0, 1, 2, 3])))
        .with_max_stalls(Budget::from_raw(actor.dice.pick(&[0, 1, 2, 3])))
        .with_on_failed(actor.dice.pick(&[OnFailed::Block, OnFailed::Replace]))
        .with_on_waiting(actor.dice.pick(&ON_WAITING))
        .with_retention(retention);
    let job = if actor.dice.one_in(4) { job.with_on_failure(Kind::from_static("mourn")) } else { job };
    if actor.dice.one_in(6) { job.awaited() } else { job }
}
