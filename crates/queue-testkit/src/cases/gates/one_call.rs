//! What comes in one call or one step counts as if it came one after the other.

use super::{SUM, complete_the_only, gate, member, seal, unsealed, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Applied, Enqueued, OnWaiting, QueuesQuery, lifecycle::Event};

cases! { "gates":
    an_id_behind_an_orphan_of_the_same_call_is_free [I9 I12 I29] (Gates);
    an_orphan_makes_no_queue [I29] (Gates);
    a_life_twice_in_a_call_meets_its_gate_as_it_was_left [I4 I28] (Gates);
    a_deleted_member_signals_after_what_follows_it [I28 I29] (Gates);
    a_gated_job_is_replaced_by_a_follower_behind_one_that_raises_it [I6 I28] (Gates);
}

async fn an_id_behind_an_orphan_of_the_same_call_is_free(bench: &Bench) {
    let answers = bench.enqueue_groups(vec![vec![member("a")], vec![job("a"), job("b")]]).await;
    let [Enqueued::Orphaned, Enqueued::Queued { seq: first }, Enqueued::Queued { seq: second }] =
        &answers.concat()[..]
    else {
        panic!("{answers:?}")
    };
    assert!(first < second);
    assert_eq!(bench.meta("a").await.seq, *first);
}

async fn an_orphan_makes_no_queue(bench: &Bench) {
    let other = bench.on_queue("other");
    assert_eq!(other.enqueue(member("a")).await, Enqueued::Orphaned);
    let page = bench.store().queues(QueuesQuery::all(9)).await.expect("queues answers");
    assert!(page.queues.iter().all(|queue| queue.name != *other.queue()), "{page:?}");
}

async fn a_life_twice_in_a_call_meets_its_gate_as_it_was_left(bench: &Bench) {
    bench.put_job(unsealed()).await;
    let before = bench.meta(SUM).await;
    let seal = || decided(&before, Event::Seal);
    let answers = bench.apply_all(vec![seal(), seal()]).await;
    let [Applied::Done(first), Applied::Stale(second)] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(first, second);
    assert_eq!(
        (first.revision, first.gate.as_ref().expect("it has one").closed_at),
        (before.revision + 2, None)
    );
}

async fn a_deleted_member_signals_after_what_follows_it(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(member("a")).await;
    seal(bench).await;
    let mut step = decided(&bench.meta("a").await, Event::Delete);
    step.then.push(member("child"));
    let answer = bench.apply(step).await;
    assert!(matches!(answer, Applied::Done(_)), "{answer:?}");
    let counted = gate(bench).await;
    assert_eq!((counted.needs, counted.signals, counted.tally.cancelled), (2, 1, 1));
    complete_the_only(bench, "child").await;
    complete_the_only(bench, SUM).await;
}

async fn a_gated_job_is_replaced_by_a_follower_behind_one_that_raises_it(bench: &Bench) {
    bench.put_job(waiting_for(2)).await;
    let before = bench.meta(SUM).await;
    let mut step = decided(&before, Event::Promote);
    step.then = vec![member("a"), job(SUM).with_on_waiting(OnWaiting::Replace { max_wait: None })];
    let answer = bench.apply(step).await;
    assert!(matches!(answer, Applied::Done(_)), "{answer:?}");
    let after = bench.meta(SUM).await;
    assert!(after.seq > before.seq && after.gate.is_none(), "{after:?}");
    assert_eq!(bench.claim_ids(9).await, ["a", SUM]);
}
