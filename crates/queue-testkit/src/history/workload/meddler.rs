//! The task that cancels, changes, rescues, prunes, reads and pauses.

use super::actor::{Actor, expected};
use queue_core::{
    Detail, ListQuery, Pause, Prune, PruneRequest, Retention, Span, Storage, StorageExt,
    lifecycle::{Event, OnProcessing},
};

/// More than any run holds.
const EVERY: usize = 1_000;

/// Makes the changes that producers, operators and maintenance make to jobs that others work on.
pub(super) async fn meddle(actor: Actor) {
    for _ in actor.pace.steps() {
        match actor.dice.below(12) {
            0..=6 => change(&actor).await,
            7 | 8 => drop(expected(actor.store.rescue(&actor.queue, EVERY, &actor.policy).await)),
            9 => prune(&actor).await,
            10 => read(&actor).await,
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
    let id = actor.shared_id();
    let changed = actor.store.change(&actor.queue, &id, event, &actor.policy).await;
    drop(expected(changed));
}

async fn prune(actor: &Actor) {
    let what = actor.dice.pick(&[Prune::Expired, Prune::Expired, Prune::FinishedBefore(Span::from_secs(2))]);
    let request = PruneRequest { queue: actor.queue.clone(), what, limit: 1 + actor.dice.below(20) };
    expected(actor.store.prune(request).await);
}

async fn read(actor: &Actor) {
    let ids: Vec<_> = (0..4).map(|_| actor.shared_id()).collect();
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
