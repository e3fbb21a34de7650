//! Jobs that raise the gate of another one.

use super::{complete_next, gate, member, raising, seal, unsealed, urgent, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{EndSignal, Enqueued, NewGate, NewJob, Prune, Retention, lifecycle::Event};

cases! { "raises":
    a_member_raises_once_and_a_duplicate_adds_nothing [I28 I9] (Gates);
    a_target_in_the_same_call_comes_first [I28] (Gates);
    who_takes_no_raise_orphans_a_job_of_which_nothing_is_stored [I29 I19] (Gates);
    the_rest_of_a_group_goes_on_without_an_orphan [I19] (Gates);
    one_target_that_takes_no_raise_leaves_the_others_as_they_were [I28] (Gates);
    a_gate_that_was_opened_early_takes_members_still [I29] (Gates);
    a_child_that_a_member_enqueues_as_it_ends_keeps_the_gate_closed [I29 I28 I5] (Gates);
    a_child_of_a_job_that_leaves_no_record_counts_too [I28 I29] (Gates);
    a_pruned_queue_signals_nothing [I28] (Gates);
}

async fn a_member_raises_once_and_a_duplicate_adds_nothing(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(member("a")).await;
    for _ in 0..20 {
        assert!(matches!(bench.enqueue(member("a")).await, Enqueued::Duplicate { .. }));
    }
    assert_eq!(gate(bench).await.needs, 1);
    seal(bench).await;
    complete_next(bench).await;
    assert!(matches!(bench.enqueue(member("a")).await, Enqueued::Completed { .. }));
    assert_eq!((gate(bench).await.needs, bench.claim_ids(9).await), (1, vec![super::SUM.to_owned()]));
}

async fn a_target_in_the_same_call_comes_first(bench: &Bench) {
    let groups = vec![vec![unsealed(), member("a")], vec![member("b")]];
    let answers = bench.enqueue_groups(groups).await;
    assert!(answers.iter().flatten().all(Enqueued::is_new), "{answers:?}");
    assert_eq!(gate(bench).await.needs, 2);
    let early =
        vec![vec![job("c").with_end_signals([raising("later")]), job("later").with_gate(NewGate::default())]];
    let answers = bench.enqueue_groups(early).await;
    assert_eq!((&answers[0][0], answers[0][1].is_new()), (&Enqueued::Orphaned, true));
}

async fn orphaned(bench: &Bench, new: NewJob) {
    let before = bench.counts().await.total();
    assert_eq!(bench.enqueue(new.clone()).await, Enqueued::Orphaned);
    assert_eq!((bench.find(new.id.as_str()).await, bench.counts().await.total()), (None, before));
}

async fn who_takes_no_raise_orphans_a_job_of_which_nothing_is_stored(bench: &Bench) {
    // There is none.
    orphaned(bench, member("a")).await;
    // It has no gate, waiting or running.
    bench.put(super::SUM).await;
    orphaned(bench, member("a")).await;
    let held = bench.claim_one().await;
    orphaned(bench, member("a")).await;
    // It has ended.
    bench.complete(&held).await;
    orphaned(bench, member("a")).await;
    bench.changed(super::SUM, Event::SetRetention(Retention::Remove)).await;
    // It is complete: open, running, and back again.
    bench.put_job(waiting_for(0)).await;
    orphaned(bench, member("a")).await;
    let held = bench.claim_one().await;
    orphaned(bench, member("a")).await;
    bench.release(&held).await;
    orphaned(bench, member("a")).await;
    // Another life has the id.
    let life = bench.meta(super::SUM).await.seq;
    bench.changed(super::SUM, Event::Delete).await;
    bench.put_job(unsealed()).await;
    orphaned(bench, job("a").with_end_signals([EndSignal { life: Some(life), ..raising(super::SUM) }])).await;
    assert_eq!(gate(bench).await.needs, 0);
    // One without a raise is stored, and sends nothing.
    let former = EndSignal { life: Some(life), ..EndSignal::to(id(super::SUM)) };
    bench.put_job(job("a").with_end_signals([former])).await;
}

async fn the_rest_of_a_group_goes_on_without_an_orphan(bench: &Bench) {
    let answers = bench.enqueue_groups(vec![vec![job("a"), member("b"), job("c")]]).await;
    let are_new: Vec<_> = answers[0].iter().map(Enqueued::is_new).collect();
    assert_eq!((are_new, &answers[0][1]), (vec![true, false, true], &Enqueued::Orphaned));
}

async fn one_target_that_takes_no_raise_leaves_the_others_as_they_were(bench: &Bench) {
    bench.put_job(unsealed()).await;
    let both = job("a").with_end_signals([raising(super::SUM), raising("nobody")]);
    assert_eq!(bench.enqueue(both).await, Enqueued::Orphaned);
    assert_eq!(gate(bench).await.needs, 0);
}

async fn a_gate_that_was_opened_early_takes_members_still(bench: &Bench) {
    bench.put_job(waiting_for(9)).await;
    bench.put_job(urgent("a")).await;
    bench.cancel("a").await;
    bench.put_job(member("b").with_delay(KEPT)).await;
    assert_eq!(gate(bench).await.needs, 10);
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn a_child_that_a_member_enqueues_as_it_ends_keeps_the_gate_closed(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(member("a")).await;
    seal(bench).await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_then(held.token, vec![member("child")])).await;
    assert_eq!((gate(bench).await.needs, gate(bench).await.signals), (2, 1));
    assert_eq!(bench.counts().await.gated, 1);
    // The settle again: nothing is added.
    bench.settled(&held, complete_then(held.token, vec![member("child")])).await;
    assert_eq!((gate(bench).await.needs, gate(bench).await.signals), (2, 1));
    complete_next(bench).await;
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn a_child_of_a_job_that_leaves_no_record_counts_too(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(job("parent").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_then(held.token, vec![member("child")])).await;
    seal(bench).await;
    assert_eq!(gate(bench).await.needs, 1);
    complete_next(bench).await;
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

/// The jobs that would count go too.
async fn a_pruned_queue_signals_nothing(bench: &Bench) {
    bench.put_job(member("a").with_end_signals([])).await;
    bench.put_job(unsealed()).await;
    bench.put_job(member("b")).await;
    assert_eq!(bench.prune(Prune::Everything, 1).await, 1);
    assert_eq!((gate(bench).await.signals, gate(bench).await.needs), (0, 1));
    assert_eq!(bench.prune(Prune::Everything, 9).await, 2);
    assert_eq!(bench.counts().await.total(), 0);
}
