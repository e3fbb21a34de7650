//! Nothing is left of the replaced life, and calls that were meant for it find nothing.

use super::{replace, replacing};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        events::listen::{awaiting, reached, subscribe, woken},
    },
};
use queue_core::{
    Applied, Changed, Interest, Kind, ListQuery, Retention, Span, State,
    lifecycle::{Event, OnProcessing},
};

cases! { "replace":
    a_settle_of_the_former_life_is_missing [I4 I9];
    a_change_that_was_decided_for_the_former_life_is_missing [I4 I9];
    a_settle_of_the_former_life_that_is_sent_again_is_missing [I4 I5];
    the_former_life_is_listed_and_counted_no_more [I20];
    the_priority_and_the_time_of_the_former_life_are_in_no_index [I12 I20];
    what_would_have_followed_the_failure_of_the_former_life_is_gone [I9];
    cancelling_the_id_cancels_the_new_life [I10];
    who_waits_for_the_former_life_hears_that_it_is_gone [I14] (Hints);
    who_comes_to_wait_waits_for_the_new_life [I13 I14] (Hints);
    a_replacement_wakes [I15] (Hints);
    what_has_replaced_is_there_after_a_reopen [I9 I20 I21] (Reopen);
}

/// The holder gave the job back before.
async fn a_settle_of_the_former_life_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.release(&held).await;
    let heir = replace(bench, replacing("a"), held.record.meta.seq).await;
    for settle in FOLLOWED {
        let late = decided(&held.record.meta, settle(held.token, vec![job("next")]));
        assert_eq!(bench.apply(late).await, Applied::Missing);
    }
    let late = decided(&held.record.meta, extend(held.token, KEPT));
    assert_eq!(bench.apply(late).await, Applied::Missing);
    let meta = bench.meta("a").await;
    assert_eq!((meta.seq, meta.revision, bench.state("next").await), (heir, 1, None));
}

/// Each change was valid when it was decided.
async fn a_change_that_was_decided_for_the_former_life_is_missing(bench: &Bench) {
    let former = bench.put("a").await;
    let seen = bench.meta("a").await;
    replace(bench, replacing("a"), former).await;
    let before = bench.record("a").await;
    let delay = KEPT;
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    for event in [cancel, Event::Delete, Event::Promote, Event::Reschedule { delay }, Event::Await] {
        assert_eq!(bench.apply(decided(&seen, event.clone())).await, Applied::Missing, "{event:?}");
    }
    assert_eq!(bench.record("a").await, before);
}

/// The sender treats that as done.
async fn a_settle_of_the_former_life_that_is_sent_again_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, snooze_then(held.token, vec![job("next").with_delay(KEPT)]));
    assert_done!([bench.apply(sent.clone()).await]);
    replace(bench, replacing("a"), held.record.meta.seq).await;
    assert_eq!(bench.apply(sent).await, Applied::Missing);
    assert_eq!(bench.counts().await.total(), 2);
}

/// No state and no listing contains it.
async fn the_former_life_is_listed_and_counted_no_more(bench: &Bench) {
    bench.put_one_of_each().await;
    let before = bench.counts().await;
    bench.enqueue(replacing("queued")).await;
    bench.enqueue(replacing("failing").with_delay(RETRY)).await;
    let counts = bench.counts().await;
    assert_eq!(counts.total(), before.total());
    assert_eq!((counts.of(State::Queued), counts.of(State::Failing)), (2, 0));
    let listed = bench.list_ids(ListQuery::all(bench.queue().clone(), 2)).await;
    assert_eq!(listed, ["completed", "failed", "cancelled", "processing", "queued", "failing"]);
}

/// Claims that would find the former entries find only the new ones.
async fn the_priority_and_the_time_of_the_former_life_are_in_no_index(bench: &Bench) {
    bench.put_job(job("urgent").with_priority(-5)).await;
    bench.put_job(job("soon").with_delay(MILLI)).await;
    bench.put_job(job("plain").with_priority(2)).await;
    bench.enqueue(replacing("urgent").with_priority(5)).await;
    bench.enqueue(replacing("soon").with_delay(KEPT)).await;
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["plain", "urgent"]);
    bench.advance(Span::from_millis(KEPT.as_millis() - RETRY.as_millis()));
    assert_eq!(bench.claim_ids(10).await, ["soon"]);
}

/// The new life has its own follow-up, if any.
async fn what_would_have_followed_the_failure_of_the_former_life_is_gone(bench: &Bench) {
    let asking = |new: queue_core::NewJob, kind| new.with_on_failure(Kind::from_static(kind));
    let former = bench.put_job(asking(job("a"), "mourn")).await;
    replace(bench, replacing("a"), former).await;
    assert_eq!(bench.meta("a").await.terms.on_failure, None);
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!(bench.counts().await.total(), 1);
    let former = bench.put_job(asking(job("b"), "mourn")).await;
    replace(bench, asking(replacing("b"), "cheer"), former).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!(bench.claim_one().await.record.meta.kind, Kind::from_static("cheer"));
    bench.assert_nothing_due().await;
}

async fn cancelling_the_id_cancels_the_new_life(bench: &Bench) {
    let former = bench.put_job(job("a").with_retention(Retention::Forever)).await;
    let seq = replace(bench, replacing("a"), former).await;
    assert!(matches!(bench.cancel("a").await, Changed::Done(meta) if meta.seq == seq));
    bench.assert_nothing_due().await;
}

/// Otherwise the caller would wait for an outcome that never comes.
async fn who_waits_for_the_former_life_hears_that_it_is_gone(bench: &Bench) {
    for delay in [Span::ZERO, KEPT] {
        let former = bench.put_job(job("a").with_delay(delay).awaited()).await;
        let mut stream = awaiting(bench, &["a"]).await;
        let seq = replace(bench, replacing("a"), former).await;
        assert_eq!(reached(&mut stream, "a", None).await.seq, former);
        assert_eq!(bench.meta("a").await.seq, seq, "who reads then finds the life that took its place");
        bench.changed("a", Event::Delete).await;
    }
}

/// The waiter gets the new life's result.
async fn who_comes_to_wait_waits_for_the_new_life(bench: &Bench) {
    let former = bench.put_job(job("a").awaited()).await;
    let seq = replace(bench, replacing("a").with_retention(Retention::Remove), former).await;
    assert!(!bench.meta("a").await.awaited, "nobody waits for it yet");
    let mut stream = awaiting(bench, &["a"]).await;
    bench.changed("a", Event::Await).await;
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(reached(&mut stream, "a", Some(State::Completed)).await.seq, seq);
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}

/// The new job may be due sooner than the former one.
async fn a_replacement_wakes(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    let mut stream = subscribe(bench, Interest::Wake).await;
    bench.enqueue(replacing("a")).await;
    woken(&mut stream).await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// Every field is compared, and the former life is absent.
async fn what_has_replaced_is_there_after_a_reopen(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.advance(RETRY);
    for text in ["queued", "failing"] {
        bench.enqueue(replacing(text).with_delay(RETRY).with_priority(4)).await;
    }
    let before = crate::cases::reopen::all_records(bench).await;
    bench.reopen().await;
    assert_eq!(crate::cases::reopen::all_records(bench).await, before);
    assert_eq!(bench.counts().await.scheduled, 2);
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["queued", "failing"]);
}
