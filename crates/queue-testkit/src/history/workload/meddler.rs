//! The task that cancels, changes, rescues, prunes, reads, pauses and changes a limit.

use super::{
    actor::{Actor, expected},
    partitions::change_limit,
};
use queue_core::{
    Detail, ListQuery, Pause, Prune, PruneRequest, Retention, Span, Storage, StorageExt,
    lifecycle::{Event, OnProcessing},
};

/// More than any run holds.
const EVERY: usize = 1_000;

/// Makes the changes that producers, operators and maintenance make to jobs that others work on.
pub(super) async fn meddle(actor: Actor) {
    for _ in actor.pace.steps() {
        match actor.dice.below(13) {
            0..=6 => change(&actor).await,
            7 | 8 => drop(expected(actor.store.rescue(&actor.queue, EVERY, &actor.policy).await)),
            9 => prune(&actor).await,
            10 => read(&actor).await,
            11 if actor.has_gates() => expire(&actor).await,
            _ if actor.has_partitions() && actor.dice.one_in(2) => change_limit(&actor).await,
            _ => pause_and_resume(&actor).await,
        }
        actor.pause().await;
    }
}

async fn change(actor: &Actor) {
    let event = actor.dice.pick(&[
        Event::Cancel { processing: OnProcessing::Leave },
        Event::Cancel { processing: OnProcessing::Request },
        Event::Await,
        Event::Promote,
        Event::Reschedule { delay: Span::ZERO },
        Event::Reschedule { delay: Span::from_millis(60) },
        Event::Redrive { content_type: None },
        Event::Redrive { content_type: None },
        Event::Delete,
        Event::SetRetention(Retention::Keep(Span::from_millis(100))),
        Event::SetRetention(Retention::Forever),
    ]);
    let (id, event) = if actor.has_gates() && actor.dice.one_in(3) {
        (actor.gate_id(), actor.dice.pick(&[Event::Seal, Event::Seal, event]))
    } else {
        (actor.shared_id(), event)
    };
    let changed = actor.store.change(&actor.queue, &id, event, &actor.policy).await;
    drop(expected(changed));
}

/// Ends a job that was not started in time, as a reader that notices it does.
async fn expire(actor: &Actor) {
    let id = actor.shared_id();
    let found = actor.store.get(&actor.queue, std::slice::from_ref(&id), Detail::Meta).await;
    let Some(now) = expected(found).map(|found| found.now) else { return };
    let event = Event::Expire { now, token: None };
    drop(expected(actor.store.change(&actor.queue, &id, event, &actor.policy).await));
}

async fn prune(actor: &Actor) {
    let what = actor.dice.pick(&[Prune::Expired, Prune::Expired, Prune::FinishedBefore(Span::from_secs(2))]);
    let request = PruneRequest { queue: actor.queue.clone(), what, limit: 1 + actor.dice.below(20) };
    expected(actor.store.prune(request).await);
}

async fn read(actor: &Actor) {
    let mut ids: Vec<_> = (0..4).map(|_| actor.shared_id()).collect();
    if actor.has_gates() {
        ids.push(actor.gate_id());
    }
    expected(actor.store.get(&actor.queue, &ids, actor.dice.pick(&[Detail::Meta, Detail::Full])).await);
    expected(actor.store.list(ListQuery::all(actor.queue.clone(), 10)).await);
    expected(actor.store.counts(&actor.queue).await);
}

async fn pause_and_resume(actor: &Actor) {
    if actor.store.capabilities().pause && actor.dice.one_in(3) {
        expected(actor.store.set_paused(&actor.queue, None, Pause::UntilResumed).await);
        actor.pause().await;
        expected(actor.insist(|| actor.store.set_paused(&actor.queue, None, Pause::Off)).await);
    }
}
