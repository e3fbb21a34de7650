//! A settle whose answer was lost is sent again unchanged.

use super::cases;
use crate::bench::prelude::*;
use bytes::Bytes;
use queue_core::{
    Applied, ClaimedJob, Failure, Retention, State,
    lifecycle::{Cause, Event, Transition},
};

cases! { "replay":
    every_settle_sent_twice_is_done_twice_and_written_once [I5];
    a_replay_after_time_has_passed_is_still_done [I5];
    a_replay_after_a_newer_claim_is_lost [I4 I5];
    a_replay_after_a_newer_claim_was_settled_is_lost [I4 I5];
    a_replay_after_removal_is_missing [I5];
    a_replay_after_the_purge_is_missing [I5];
    a_replay_with_another_event_is_lost [I4 I5];
    a_replay_after_somebody_else_changed_the_record_is_done [I5];
    a_replay_after_a_redrive_is_done_until_the_next_claim [I5];
    a_replay_that_was_decided_on_other_flags_is_done [I5];
    a_replay_keeps_the_first_result [I5 I13];
    a_replay_keeps_the_first_error [I5 I13];
    a_replay_keeps_the_first_retention [I5 I20];
    a_replay_never_repeats_what_follows [I5 I9];
    a_replayed_failure_is_charged_once [I5 I7];
    a_replay_in_the_same_batch_is_done [I5 I19];
    a_heartbeat_can_be_sent_twice [I5];
}

/// Claims a new job and settles it; returns the transition.
async fn settled_once(
    bench: &Bench,
    text: &str,
    settle: fn(queue_core::LeaseToken) -> Event,
) -> (ClaimedJob, Transition) {
    let held = bench.put_and_claim(text).await;
    let sent = decided(&held.record.meta, settle(held.token));
    assert_done!([bench.apply(sent.clone()).await]);
    (held, sent)
}

/// The record does not change the second time, not even its revision.
async fn every_settle_sent_twice_is_done_twice_and_written_once(bench: &Bench) {
    for (n, settle) in SETTLES.into_iter().enumerate() {
        let text = nth(n).to_string();
        let (_, sent) = settled_once(bench, &text, settle).await;
        let before = bench.record(&text).await;
        for _ in 0..3 {
            assert_eq!(bench.apply(sent.clone()).await, Applied::Done(before.meta.clone()));
        }
        assert_eq!(bench.record(&text).await, before);
        bench.changed(&text, Event::Delete).await;
    }
}

/// The times are the times of the first settle.
async fn a_replay_after_time_has_passed_is_still_done(bench: &Bench) {
    let (_, sent) = settled_once(bench, "a", complete).await;
    let before = bench.record("a").await;
    bench.advance(queue_core::Span::from_millis(KEPT.as_millis() - 1));
    assert_done!([bench.apply(sent).await]);
    assert_eq!(bench.record("a").await, before);
}

/// The sender is a zombie by then.
async fn a_replay_after_a_newer_claim_is_lost(bench: &Bench) {
    for (n, settle) in [fail, release, snooze].into_iter().enumerate() {
        let text = nth(n).to_string();
        let (_, sent) = settled_once(bench, &text, settle).await;
        bench.advance(RETRY);
        let heir = bench.claim_one().await;
        assert_eq!(bench.apply(sent).await, Applied::LeaseLost(heir.record.meta.clone()));
        bench.complete(&heir).await;
    }
}

/// The newer claim was settled in the same way.
async fn a_replay_after_a_newer_claim_was_settled_is_lost(bench: &Bench) {
    let (_, sent) = settled_once(bench, "a", release).await;
    let released = bench.release(&bench.claim_one().await).await;
    assert_eq!(bench.apply(sent).await, Applied::LeaseLost(released));
}

/// The sender treats that as done.
async fn a_replay_after_removal_is_missing(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    let sent = decided(&held.record.meta, complete(held.token));
    assert_done!([bench.apply(sent.clone()).await]);
    assert_eq!(bench.apply(sent).await, Applied::Missing);
}

async fn a_replay_after_the_purge_is_missing(bench: &Bench) {
    let (_, sent) = settled_once(bench, "a", complete).await;
    bench.advance(KEPT);
    assert_eq!(bench.apply(sent).await, Applied::Missing);
}

/// One lease has one outcome.
async fn a_replay_with_another_event_is_lost(bench: &Bench) {
    for (n, first) in SETTLES.into_iter().enumerate() {
        let text = nth(n).to_string();
        let (held, _) = settled_once(bench, &text, first).await;
        let before = bench.record(&text).await;
        for (m, other) in SETTLES.into_iter().enumerate().filter(|(m, _)| *m != n) {
            let answer = bench.apply(decided(&held.record.meta, other(held.token))).await;
            assert_eq!(answer, Applied::LeaseLost(before.meta.clone()), "settle {n}, then {m}");
        }
        assert_eq!(bench.record(&text).await, before);
        bench.changed(&text, Event::Delete).await;
    }
}

async fn a_replay_after_somebody_else_changed_the_record_is_done(bench: &Bench) {
    let (_, sent) = settled_once(bench, "a", release).await;
    bench.cancel("a").await;
    let cancelled = bench.meta("a").await;
    assert_eq!(bench.apply(sent).await, Applied::Done(cancelled));
    let (_, sent) = settled_once(bench, "b", complete).await;
    let kept = bench.changed("b", Event::SetRetention(Retention::Forever)).await;
    assert_eq!(bench.apply(sent).await, Applied::Done(kept));
}

/// A redrive is not a claim.
async fn a_replay_after_a_redrive_is_done_until_the_next_claim(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(queue_core::Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    let sent = decided(&held.record.meta, fail(held.token));
    assert_done!([bench.apply(sent.clone()).await]);
    let redriven = bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!(bench.apply(sent.clone()).await, Applied::Done(redriven));
    bench.claim_one().await;
    assert!(matches!(bench.apply(sent).await, Applied::LeaseLost(_)));
}

/// Flags are compared only while the lease lives.
async fn a_replay_that_was_decided_on_other_flags_is_done(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let first = decided(&held.record.meta, release(held.token));
    bench.changed("a", Event::Await).await;
    assert!(matches!(bench.apply(first.clone()).await, Applied::Stale(_)));
    let released = bench.release(&held).await;
    assert_eq!(bench.apply(first).await, Applied::Done(released));
}

/// The second result is ignored.
async fn a_replay_keeps_the_first_result(bench: &Bench) {
    let (held, _) = settled_once(bench, "a", complete).await;
    let other = decided(&held.record.meta, complete_with(held.token, text_payload("another")));
    assert_done!([bench.apply(other).await]);
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}

/// A handler that ran once has one error to record, and repeats of its settle add none.
async fn a_replay_keeps_the_first_error(bench: &Bench) {
    let (held, _) = settled_once(bench, "a", fail).await;
    let first = bench.record("a").await;
    let other = Event::Fail {
        token: held.token,
        failure: Failure::new("Another", "it is told later").with_details(Bytes::from_static(b"{}")),
        cause: Cause::Terminal,
        delay: Some(KEPT),
        retention: None,
        then: Vec::new(),
    };
    assert_done!([bench.apply(decided(&held.record.meta, other)).await]);
    assert_eq!(bench.record("a").await, first);
}

async fn a_replay_keeps_the_first_retention(bench: &Bench) {
    let (held, _) = settled_once(bench, "a", complete).await;
    let first = bench.meta("a").await;
    let retention = Some(Retention::Remove);
    let result = text_payload(RESULT);
    let other = Event::Complete { token: held.token, result, retention, then: Vec::new() };
    assert_done!([bench.apply(decided(&held.record.meta, other)).await]);
    assert_eq!(bench.meta("a").await, first);
}

/// The follower may even have been removed meanwhile.
async fn a_replay_never_repeats_what_follows(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, complete_then(held.token, vec![job("next")]));
    assert_done!([bench.apply(sent.clone()).await]);
    let next = bench.meta("next").await;
    assert_done!([bench.apply(sent.clone()).await]);
    assert_eq!(bench.meta("next").await, next);
    bench.changed("next", Event::Delete).await;
    assert_done!([bench.apply(sent).await]);
    assert_eq!(bench.state("next").await, None);
}

async fn a_replayed_failure_is_charged_once(bench: &Bench) {
    let (_, sent) = settled_once(bench, "a", fail).await;
    for _ in 0..5 {
        assert_done!([bench.apply(sent.clone()).await]);
    }
    let meta = bench.meta("a").await;
    assert_eq!((meta.failures, meta.state), (1, State::Failing));
}

/// Repeats and merged calls can meet in one batch.
async fn a_replay_in_the_same_batch_is_done(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, fail(held.token));
    let answers = bench.apply_all(vec![sent.clone(), sent.clone(), sent]).await;
    assert!(answers.iter().all(Applied::is_done), "{answers:?}");
    assert_eq!(bench.meta("a").await.failures, 1);
}

/// The second one only moves the end of the lease again.
async fn a_heartbeat_can_be_sent_twice(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let beat = decided(&held.record.meta, extend(held.token, KEPT));
    assert_done!([bench.apply(beat.clone()).await]);
    assert_done!([bench.apply(beat).await]);
    assert_eq!(bench.meta("a").await.lease.expect("leased").expires_at, bench.now() + KEPT);
    bench.complete(&held).await;
}
