//! Followers of changes without a lease. Such a change proves by the revision that its sender has
//! seen the job as it is; a revision matches once, so the followers come once.

use super::next;
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, Budget, NewJob, Retention, State,
    lifecycle::{Event, OnProcessing, Transition},
};

cases! { "then":
    what_follows_comes_with_every_change_under_a_revision [I1 I9 I23];
    a_change_that_came_too_late_enqueues_nothing [I4 I9];
    a_change_of_a_life_that_is_gone_enqueues_nothing [I4];
    a_lapse_that_ends_a_job_is_followed_once [I1 I7 I8];
    a_deleted_job_may_be_its_own_follower [I9 I20];
    a_cancelled_record_makes_room_for_itself_as_a_follower [I9];
    changes_with_followers_share_a_batch [I1 I19];
    two_changes_of_one_revision_in_one_batch_are_followed_once [I4 I19];
}

/// Brings a job named "a" to the state in which the change can be made.
type Scene = for<'a> fn(&'a Bench) -> futures_util::future::LocalBoxFuture<'a, ()>;

/// Every change, and the state that it leaves.
fn changes() -> Vec<(Scene, Event, Option<State>)> {
    let delay = KEPT;
    let cancel = |processing| Event::Cancel { processing };
    vec![
        (waiting, cancel(OnProcessing::Leave), Some(State::Cancelled)),
        (held, cancel(OnProcessing::Request), Some(State::Processing)),
        (waiting, Event::Delete, None),
        (failed, Event::Delete, None),
        (waiting, Event::Promote, Some(State::Queued)),
        (failing, Event::Promote, Some(State::Failing)),
        (waiting, Event::Reschedule { delay }, Some(State::Queued)),
        (failing, Event::Reschedule { delay }, Some(State::Failing)),
        (failed, Event::Redrive { content_type: None }, Some(State::Queued)),
        (failed, Event::SetRetention(Retention::Forever), Some(State::Failed)),
        (failed, Event::SetRetention(Retention::Remove), None),
        (waiting, Event::Await, Some(State::Queued)),
        (held, Event::Await, Some(State::Processing)),
    ]
}

fn waiting(bench: &Bench) -> futures_util::future::LocalBoxFuture<'_, ()> {
    Box::pin(async {
        bench.put_job(job("a").with_delay(RETRY)).await;
    })
}

fn held(bench: &Bench) -> futures_util::future::LocalBoxFuture<'_, ()> {
    Box::pin(async {
        bench.put_and_claim("a").await;
    })
}

fn failing(bench: &Bench) -> futures_util::future::LocalBoxFuture<'_, ()> {
    Box::pin(async {
        bench.fail(&bench.put_and_claim("a").await).await;
    })
}

fn failed(bench: &Bench) -> futures_util::future::LocalBoxFuture<'_, ()> {
    Box::pin(async {
        bench.fail_terminally(&bench.put_and_claim("a").await).await;
    })
}

async fn decided_then(bench: &Bench, event: Event, then: Vec<NewJob>) -> Transition {
    Transition { then, ..decided(&bench.meta("a").await, event) }
}

async fn clear(bench: &Bench) {
    bench.prune(queue_core::Prune::Everything, 10).await;
}

/// A repeat of the change enqueues nothing.
async fn what_follows_comes_with_every_change_under_a_revision(bench: &Bench) {
    for (scene, event, state) in changes() {
        scene(bench).await;
        let sent = decided_then(bench, event.clone(), vec![next()]).await;
        assert_done!([bench.apply(sent.clone()).await]);
        let states = (bench.state("a").await, bench.state("next").await);
        assert_eq!(states, (state, Some(State::Queued)), "{event:?}");
        bench.changed("next", Event::Delete).await;
        for _ in 0..2 {
            let again = bench.apply(sent.clone()).await;
            let is_refused = match state {
                Some(_) => matches!(again, Applied::Stale(_)),
                None => again == Applied::Missing,
            };
            assert!(is_refused, "{event:?} again: {again:?}");
        }
        assert_eq!(bench.state("next").await, None, "{event:?} again");
        clear(bench).await;
    }
}

/// Another caller has changed the job first.
async fn a_change_that_came_too_late_enqueues_nothing(bench: &Bench) {
    for (scene, event, _) in changes() {
        scene(bench).await;
        let late = decided_then(bench, event.clone(), vec![next()]).await;
        let other = if bench.state("a").await == Some(State::Failed) {
            Event::SetRetention(Retention::Keep(KEPT))
        } else if matches!(event, Event::Await) {
            Event::Cancel { processing: OnProcessing::Request }
        } else {
            Event::Await
        };
        bench.changed("a", other).await;
        let before = bench.record("a").await;
        assert_eq!(bench.apply(late).await, Applied::Stale(before.meta.clone()), "{event:?}");
        assert_eq!((bench.record("a").await, bench.state("next").await), (before, None), "{event:?}");
        clear(bench).await;
    }
}

/// The id belongs to another life by now.
async fn a_change_of_a_life_that_is_gone_enqueues_nothing(bench: &Bench) {
    for (scene, event, _) in changes() {
        scene(bench).await;
        let late = decided_then(bench, event.clone(), vec![next()]).await;
        clear(bench).await;
        scene(bench).await;
        assert_eq!(bench.apply(late).await, Applied::Missing, "{event:?}");
        assert_eq!(bench.state("next").await, None, "{event:?}");
        clear(bench).await;
    }
}

async fn a_lapse_that_ends_a_job_is_followed_once(bench: &Bench) {
    bench.put_job(job("a").with_max_stalls(Budget::from_raw(1))).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    let sent = decided_then(bench, Event::Lapse, vec![next()]).await;
    let answers = bench.apply_all(vec![sent.clone(), sent]).await;
    assert_done!(answers[..1]);
    assert!(matches!(answers[1], Applied::Stale(_)), "{answers:?}");
    let states = (bench.state("a").await, bench.state("next").await);
    assert_eq!(states, (Some(State::Failed), Some(State::Queued)));
}

/// The new life begins in the step that ends the old one.
async fn a_deleted_job_may_be_its_own_follower(bench: &Bench) {
    for scene in [waiting, failing, failed] {
        scene(bench).await;
        let former = bench.meta("a").await;
        bench.advance(MILLI);
        let new = job_with("a", text_payload("new")).with_priority(3);
        assert_done!([bench.apply(decided_then(bench, Event::Delete, vec![new]).await).await]);
        let found = bench.record("a").await;
        assert!(found.meta.seq > former.seq, "{:?} follows {former:?}", found.meta);
        assert_eq!((found.meta.priority, found.meta.created_at), (3, bench.now()));
        assert_eq!(found.body.expect("asked for").payload, text_payload("new"));
        assert_eq!(bench.claim_ids(10).await, ["a"]);
        clear(bench).await;
    }
}

/// A cancelled record frees its id within the step too.
async fn a_cancelled_record_makes_room_for_itself_as_a_follower(bench: &Bench) {
    for retention in [Retention::Forever, Retention::Remove] {
        let seq = bench.put_job(job("a").with_retention(retention)).await;
        let cancel = Event::Cancel { processing: OnProcessing::Leave };
        assert_done!([bench.apply(decided_then(bench, cancel, vec![job("a")]).await).await]);
        let meta = bench.meta("a").await;
        assert!(meta.seq > seq && meta.state == State::Queued, "{meta:?} follows life {seq}");
        clear(bench).await;
    }
}

/// The followers come in the order of the batch.
async fn changes_with_followers_share_a_batch(bench: &Bench) {
    bench.put_many(3).await;
    let held = bench.claim_one().await;
    let metas = [bench.meta(nth(1).as_str()).await, bench.meta(nth(2).as_str()).await];
    let follower = |text: &str| vec![job(text)];
    let cancel = Event::Cancel { processing: OnProcessing::Leave };
    let batch = vec![
        Transition { then: follower("z"), ..decided(&metas[0], Event::Delete) },
        decided(&held.record.meta, snooze_then(held.token, follower("m"))),
        Transition { then: follower("b"), ..decided(&metas[1], cancel) },
    ];
    assert_done!(bench.apply_all(batch).await);
    assert_eq!(bench.claim_ids(10).await, ["z", "m", "b"]);
}

/// The second change has not seen what the first wrote.
async fn two_changes_of_one_revision_in_one_batch_are_followed_once(bench: &Bench) {
    waiting(bench).await;
    let first = decided_then(bench, Event::Promote, vec![job("first").with_delay(KEPT)]).await;
    let second = decided_then(bench, Event::Await, vec![job("second")]).await;
    let answers = bench.apply_all(vec![first, second]).await;
    assert_done!(answers[..1]);
    assert!(matches!(answers[1], Applied::Stale(_)), "{answers:?}");
    assert_eq!((bench.state("first").await, bench.state("second").await), (Some(State::Queued), None));
}
