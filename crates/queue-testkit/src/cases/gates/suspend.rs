//! A holder that waits for others behind the gate of its own job.

use super::{SUM, complete_the_only, gate, member, raising, seal, unsealed, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, EndSignal, Enqueued, LeaseToken, NewJob, Span, State,
    lifecycle::{Event, OnProcessing},
};

cases! { "suspend":
    a_job_waits_for_its_children_in_rounds [I29 I28 I7] (Gates);
    a_job_that_waits_for_nothing_more_is_due_at_once [I29] (Gates);
    a_suspended_job_waits_for_its_time_out_at_most [I29 I11] (Gates);
    a_suspend_that_is_sent_again_changes_nothing [I5 I28] (Gates);
    a_suspend_after_the_lease_was_lost_closes_nothing [I4 I29] (Gates);
    a_job_that_was_asked_to_stop_is_cancelled_instead [I10] (Gates);
    an_urgent_signal_during_the_run_is_not_lost [I29] (Gates);
    one_that_was_seen_wakes_nobody_again [I29] (Gates);
    a_seal_during_the_run_counts [I29] (Gates);
    followers_raise_the_job_that_enqueues_them [I28 I29] (Gates);
}

pub(super) fn suspend(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Suspend {
        token,
        needs: None,
        seals: true,
        heeds_urgent: true,
        timeout: None,
        progress: Some("waits".into()),
        then,
    }
}

fn urgent_member(text: &str) -> NewJob {
    job(text).with_end_signals([EndSignal { urgent: true, ..raising(SUM) }])
}

async fn a_job_waits_for_its_children_in_rounds(bench: &Bench) {
    bench.put(SUM).await;
    for (round, child) in ["one", "two", "three"].into_iter().enumerate() {
        let held = bench.claim(9).await;
        assert_eq!(ids_of(&held), [SUM]);
        let meta = bench.settled(&held[0], suspend(held[0].token, vec![member(child)])).await;
        let gate = meta.gate.as_deref().expect("it has one now");
        assert_eq!(
            (gate.needs, gate.signals, gate.closed_at),
            (round as u64 + 1, round as u64, Some(meta.epoch))
        );
        assert_eq!((meta.state, meta.failures, meta.attempt()), (State::Queued, 0, 1), "uncharged");
        assert_eq!(meta.progress.as_ref().map(|progress| &progress[..]), Some(&b"waits"[..]));
        complete_the_only(bench, child).await;
    }
    complete_the_only(bench, SUM).await;
}

async fn a_job_that_waits_for_nothing_more_is_due_at_once(bench: &Bench) {
    let held = bench.put_and_claim(SUM).await;
    let meta = bench.settled(&held, suspend(held.token, Vec::new())).await;
    assert_eq!((meta.run_at, meta.gate.expect("it has one now").closed_at), (bench.now(), None));
    assert_eq!(bench.claim_ids(9).await, [SUM]);
}

async fn a_suspended_job_waits_for_its_time_out_at_most(bench: &Bench) {
    let held = bench.put_and_claim(SUM).await;
    let wait = Event::Suspend {
        token: held.token,
        needs: Some(1),
        seals: false,
        heeds_urgent: false,
        timeout: Some(RETRY),
        progress: None,
        then: Vec::new(),
    };
    bench.settled(&held, wait).await;
    assert_eq!((bench.next_due().await, bench.counts().await.gated), (Some(bench.now() + RETRY), 1));
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(9).await, [SUM]);
}

async fn a_suspend_that_is_sent_again_changes_nothing(bench: &Bench) {
    let held = bench.put_and_claim(SUM).await;
    let event = suspend(held.token, vec![member("a")]);
    let before = bench.settled(&held, event.clone()).await;
    assert_eq!(bench.settled(&held, event).await, before);
    assert_eq!(gate(bench).await.needs, 1);
}

async fn a_suspend_after_the_lease_was_lost_closes_nothing(bench: &Bench) {
    bench.put_job(waiting_for(0)).await;
    let held = bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    let late = decided(&held.record.meta, suspend(held.token, vec![member("a")]));
    assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)));
    assert_eq!((gate(bench).await.closed_at, bench.find("a").await), (None, None));
}

async fn a_job_that_was_asked_to_stop_is_cancelled_instead(bench: &Bench) {
    let held = bench.put_and_claim(SUM).await;
    bench.changed(SUM, Event::Cancel { processing: OnProcessing::Request }).await;
    bench.settle(&held, suspend(held.token, Vec::new())).await;
    assert_eq!(bench.state(SUM).await, Some(State::Cancelled));
    assert_eq!(bench.counts().await.gated, 0);
}

async fn an_urgent_signal_during_the_run_is_not_lost(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(urgent_member("a").with_delay(RETRY)).await;
    bench.changed(SUM, Event::Promote).await;
    let held = bench.claim_one().await;
    bench.cancel("a").await;
    let meta = bench.settled(&held, suspend(held.token, vec![member("b").with_delay(KEPT)])).await;
    assert_eq!((meta.run_at, gate(bench).await.is_complete()), (bench.now(), false));
    assert_eq!(bench.claim_ids(9).await, [SUM]);
}

async fn one_that_was_seen_wakes_nobody_again(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(urgent_member("a")).await;
    bench.cancel("a").await;
    let held = bench.claim_one().await;
    bench.settled(&held, suspend(held.token, vec![member("b").with_delay(KEPT)])).await;
    bench.assert_nothing_due().await;
    assert_eq!(bench.counts().await.gated, 1);
}

async fn a_seal_during_the_run_counts(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.changed(SUM, Event::Promote).await;
    let held = bench.claim_one().await;
    seal(bench).await;
    let unsealing = Event::Suspend {
        token: held.token,
        needs: None,
        seals: false,
        heeds_urgent: false,
        timeout: None,
        progress: None,
        then: Vec::new(),
    };
    bench.settled(&held, unsealing).await;
    assert_eq!((gate(bench).await.is_sealed, bench.claim_ids(9).await), (true, vec![SUM.to_owned()]));
}

/// By any settle that leaves the job unfinished, though its gate is complete or it has none.
async fn followers_raise_the_job_that_enqueues_them(bench: &Bench) {
    for (nth, settle) in FOLLOWED.into_iter().enumerate() {
        let bench = &bench.on_queue(&format!("raised-{nth}"));
        let held = bench.put_and_claim(SUM).await;
        let child = job("child").with_end_signals([raising(SUM)]).with_delay(KEPT);
        let meta = bench.settled(&held, settle(held.token, vec![child.clone()])).await;
        let needs = meta.gate.as_ref().map(|gate| (gate.needs, gate.is_sealed, gate.closed_at));
        let is_there = bench.find("child").await.is_some();
        if meta.state.is_terminal() {
            assert_eq!((needs, is_there), (None, false), "an ended job takes no raise");
        } else {
            assert_eq!((needs, is_there), (Some((1, true, None)), true));
            assert!(matches!(bench.enqueue(child).await, Enqueued::Duplicate { .. }));
        }
    }
}
