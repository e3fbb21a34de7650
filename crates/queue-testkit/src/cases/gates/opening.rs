//! When a gate opens, and how a job behind a closed one is seen.

use super::{complete_next, complete_the_only, gate, sender, timed_out_after, unsealed, urgent, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{ListQuery, NewGate, Span, State, Walk, lifecycle::Event};

cases! { "gates":
    a_job_waits_until_its_gate_has_counted_what_it_needs [I29 I28] (Gates);
    a_sealed_gate_that_needs_nothing_is_open [I29] (Gates);
    a_gate_that_is_not_sealed_stays_closed_until_it_is [I29] (Gates);
    sealing_twice_says_that_it_is [I29] (Gates);
    a_time_out_opens_to_the_millisecond [I29 I11] (Gates);
    a_gate_without_a_time_out_is_never_due [I29] (Gates);
    an_urgent_signal_of_a_job_that_did_not_complete_opens [I29] (Gates);
    a_promote_opens [I29] (Gates);
    a_job_behind_a_gate_is_none_of_the_scheduled_ones [I20] (Gates);
    a_reschedule_moves_the_time_out [I29 I11] (Gates);
    a_late_signal_cuts_no_back_off_short [I11 I28] (Gates);
    a_job_that_was_given_back_is_behind_no_gate [I29 I20] (Gates);
    a_cancelled_job_leaves_its_gate_and_counts_no_more [I10 I28] (Gates);
    gates_and_signals_outlast_a_reopening [I21 I28] (Gates Reopen);
}

async fn a_job_waits_until_its_gate_has_counted_what_it_needs(bench: &Bench) {
    bench.put_job(waiting_for(2)).await;
    for text in ["a", "b"] {
        bench.put_job(sender(text)).await;
        complete_the_only(bench, text).await;
    }
    let open = gate(bench).await;
    assert_eq!((open.signals, open.tally.completed, open.closed_at), (2, 2, None));
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn a_sealed_gate_that_needs_nothing_is_open(bench: &Bench) {
    bench.put_job(waiting_for(0)).await;
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn a_gate_that_is_not_sealed_stays_closed_until_it_is(bench: &Bench) {
    bench.put_job(unsealed()).await;
    bench.put_job(sender("a")).await;
    complete_next(bench).await;
    bench.assert_nothing_due().await;
    super::seal(bench).await;
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn sealing_twice_says_that_it_is(bench: &Bench) {
    use queue_core::{Changed, lifecycle::Rejected};
    bench.put_job(waiting_for(1)).await;
    let again = bench.change(super::SUM, Event::Seal).await;
    assert!(matches!(again, Changed::Rejected(Rejected::Already(State::Queued))), "{again:?}");
    bench.put("plain").await;
    let plain = bench.change("plain", Event::Seal).await;
    assert!(matches!(plain, Changed::Rejected(Rejected::NotAllowed(State::Queued))), "{plain:?}");
}

async fn a_time_out_opens_to_the_millisecond(bench: &Bench) {
    bench.put_job(timed_out_after(RETRY)).await;
    assert_eq!(bench.next_due().await, Some(bench.now() + RETRY));
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    assert_eq!(bench.counts().await.gated, 1);
    bench.advance(MILLI);
    let counts = bench.counts().await;
    assert_eq!((counts.gated, counts.due(), counts.oldest_due), (0, 1, Some(bench.now())));
    assert_eq!(bench.claim_ids(1).await, [super::SUM]);
}

/// Not even the end of time is such a moment.
async fn a_gate_without_a_time_out_is_never_due(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    assert_eq!(bench.next_due().await, None);
}

async fn an_urgent_signal_of_a_job_that_did_not_complete_opens(bench: &Bench) {
    bench.put_job(waiting_for(9)).await;
    bench.put_job(urgent("a")).await;
    complete_next(bench).await;
    bench.assert_nothing_due().await;
    bench.put_job(urgent("b")).await;
    bench.cancel("b").await;
    let open = gate(bench).await;
    assert_eq!((open.signals, open.tally.cancelled, open.is_complete()), (2, 1, false));
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

async fn a_promote_opens(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.changed(super::SUM, Event::Promote).await;
    assert_eq!((bench.claim_ids(1).await, gate(bench).await.closed_at), (vec![super::SUM.to_owned()], None));
}

async fn a_job_behind_a_gate_is_none_of_the_scheduled_ones(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.put_job(job("late").with_delay(KEPT)).await;
    bench.put("due").await;
    let counts = bench.counts().await;
    assert_eq!((counts.gated, counts.scheduled, counts.due(), counts.of(State::Queued)), (1, 1, 1, 3));
    for (walk, ids) in [(Walk::Gated, ["sum"]), (Walk::Scheduled, ["late"]), (Walk::Due, ["due"])] {
        assert_eq!(bench.list_ids(ListQuery::new(bench.queue().clone(), walk, 10)).await, ids);
    }
}

async fn a_reschedule_moves_the_time_out(bench: &Bench) {
    bench.put_job(timed_out_after(KEPT)).await;
    bench.changed(super::SUM, Event::Reschedule { delay: RETRY }).await;
    assert_eq!(bench.counts().await.gated, 1);
    assert_eq!(bench.next_due().await, Some(bench.now() + RETRY));
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(1).await, [super::SUM]);
}

async fn a_late_signal_cuts_no_back_off_short(bench: &Bench) {
    bench.put_job(timed_out_after(RETRY)).await;
    bench.put_job(sender("a").with_delay(RETRY).with_priority(9)).await;
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    bench.fail(&held).await;
    complete_next(bench).await;
    assert!(gate(bench).await.is_complete());
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(1).await, [super::SUM]);
}

async fn a_job_that_was_given_back_is_behind_no_gate(bench: &Bench) {
    for (nth, event) in [release, snooze].into_iter().enumerate() {
        let bench = &bench.on_queue(&format!("gates-{nth}"));
        bench
            .put_job(job(super::SUM).with_gate(NewGate { needs: 1, is_sealed: true, timeout: Some(MILLI) }))
            .await;
        bench.advance(MILLI);
        let held = bench.claim_one().await;
        bench.settled(&held, event(held.token)).await;
        let counts = bench.counts().await;
        assert_eq!((counts.gated, counts.of(State::Queued)), (0, 1));
        bench.advance(RETRY);
        assert_eq!(bench.claim_ids(1).await, [super::SUM]);
    }
}

async fn a_cancelled_job_leaves_its_gate_and_counts_no_more(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.put_job(sender("a")).await;
    bench.cancel(super::SUM).await;
    complete_next(bench).await;
    assert_eq!((gate(bench).await.signals, bench.counts().await.gated), (0, 0));
    // A redrive does not wait for the gate.
    bench.changed(super::SUM, Event::Redrive { content_type: None }).await;
    assert_eq!(bench.claim_ids(1).await, [super::SUM]);
}

async fn gates_and_signals_outlast_a_reopening(bench: &Bench) {
    bench.put_job(waiting_for(2)).await;
    for text in ["a", "b"] {
        bench.put_job(sender(text)).await;
    }
    complete_next(bench).await;
    let (before, sent, owed) =
        (bench.record(super::SUM).await, bench.record("a").await, bench.record("b").await);
    bench.reopen().await;
    assert_eq!(bench.record(super::SUM).await, before);
    assert_eq!((bench.record("a").await, bench.record("b").await), (sent, owed));
    complete_the_only(bench, "b").await;
    assert_eq!(bench.claim_ids(1).await, [super::SUM]);
}
